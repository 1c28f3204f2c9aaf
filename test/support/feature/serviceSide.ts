import type { Computer } from './computer';

/** A host asks for a higher price (dollars per hour); returns the id of that. */
export async function askForMore(
  { simulator }: Computer,
  instanceId: number,
  price: number,
): Promise<number> {
  const answer = await simulator.call('POST', '/__sim/price-increases/', {
    instance_id: instanceId,
    new_price: price,
  });
  return Number(answer.json.increase.id);
}

/** Sets what the account has left, in dollars. */
export function setCredit({ simulator }: Computer, credit: number): Promise<unknown> {
  return simulator.call('PUT', '/__sim/credit/', { credit });
}
