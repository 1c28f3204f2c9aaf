import assert from 'node:assert/strict';
import type * as z from 'zod';
import { apiKey } from '../../../src/wire/apiKey';
import { charge } from '../../../src/wire/charge';
import { cloudConnection } from '../../../src/wire/cloudConnection';
import { deployment } from '../../../src/wire/deployment';
import { earningsReport, machineEarnings } from '../../../src/wire/earnings';
import { instance } from '../../../src/wire/instance';
import { machine } from '../../../src/wire/machine';
import { gpuMetrics } from '../../../src/wire/metrics';
import { offer } from '../../../src/wire/offer';
import { priceIncrease } from '../../../src/wire/priceIncrease';
import { secondFactorLoginAnswer, secondFactorMethod } from '../../../src/wire/secondFactor';
import { sshKey } from '../../../src/wire/sshKey';
import { teamRole } from '../../../src/wire/teamRole';
import { filterShape, template, templateAnswer } from '../../../src/wire/template';
import { user } from '../../../src/wire/user';
import { volume, volumeOffer } from '../../../src/wire/volume';

/** Every record that is read, with what makes it the record that it is: without that it is another one, or none. */
const records: Readonly<
  Record<string, readonly [z.ZodType<Record<string, unknown>>, Record<string, unknown>, object]>
> = {
  apiKey: [apiKey, { id: 1 }, apiKey.shape],
  charge: [charge, {}, charge.shape],
  cloudConnection: [cloudConnection, { id: 1 }, cloudConnection.shape],
  deployment: [deployment, { id: 1 }, deployment.shape],
  earningsReport: [earningsReport, {}, earningsReport.shape],
  machineEarnings: [machineEarnings, { machine_id: 1 }, machineEarnings.shape],
  instance: [instance, { id: 1 }, instance.shape],
  machine: [machine, { id: 1 }, machine.shape],
  gpuMetrics: [gpuMetrics, { gpu_name: 'A' }, gpuMetrics.shape],
  offer: [offer, { id: 1 }, offer.shape],
  priceIncrease: [priceIncrease, { id: 1 }, priceIncrease.shape],
  sshKey: [sshKey, { id: 1 }, sshKey.shape],
  teamRole: [teamRole, { id: 1 }, teamRole.shape],
  template: [template, { id: 1, hash_id: 'h' }, template.shape],
  secondFactorLoginAnswer: [secondFactorLoginAnswer, {}, secondFactorLoginAnswer.shape],
  secondFactorMethod: [secondFactorMethod, { id: 1 }, secondFactorMethod.shape],
  user: [user, { id: 1 }, user.shape],
  volume: [volume, { id: 1 }, volume.shape],
  volumeOffer: [volumeOffer, { id: 1 }, volumeOffer.shape],
};

const odd: readonly unknown[] = [null, true, -1, 1e308, 'x', '', [], [null], {}, { a: 1 }, [{}, 3], [[[]]]];

describe('one odd member of a record', () => {
  for (const [name, [schema, identity, shape]] of Object.entries(records)) {
    it(`leaves the rest of it as it is: ${name}`, () => {
      const members = Object.keys(shape).filter((member) => !(member in identity));
      assert.ok(members.length > 0);
      // A marker beside the members shows that the whole record came through.
      const marked = { ...identity, beside: 'kept' };
      const usual = schema.parse(marked);
      for (const member of members) {
        for (const value of odd) {
          const read = schema.safeParse({ ...marked, [member]: value });
          assert.ok(read.success, `${name}.${member} = ${JSON.stringify(value)}`);
          assert.deepEqual({ ...read.data, [member]: undefined }, { ...usual, [member]: undefined });
        }
      }
    });
  }

  it('of a list leaves the other members of that list', () => {
    const ports = { '22/tcp': [7, { HostPort: '40122' }], '80/tcp': 'x', '81/tcp': [{ HostPort: 'x' }] };
    assert.deepEqual(instance.parse({ id: 1, ports }).ports?.['22/tcp'], [{ HostPort: 40_122 }]);
    const maintenance = ['x', { start_time: 5 }, null];
    assert.deepEqual(machine.parse({ id: 1, maintenance }).maintenance, [{ start_time: 5 }]);
    const items = [{ type: 'gpu', amount: 1 }, 'x'];
    assert.equal(
      charge.parse({ items }).items?.length,
      2,
      'the odd one has what the others leave of the amount',
    );
    assert.deepEqual(earningsReport.parse({ per_day: 'x' }).per_day, [undefined], 'it counts as left out');
  });

  it('of the filters of a template leaves the others', () => {
    const known = { cuda_max_good: { gte: 12.4 }, gpu_name: { in: ['RTX 4090'] } };
    for (const value of [...odd, [['score', 'desc']], 32]) {
      const read = filterShape.parse({ ...known, order: value });
      assert.deepEqual({ ...read, order: undefined }, { ...known, order: undefined }, JSON.stringify(value));
    }
    for (const none of [null, 'x', [], 3]) {
      assert.equal(filterShape.safeParse(none).success, false);
    }
  });

  it('beside the hash of a saved template does not make it a lost answer', () => {
    assert.deepEqual(templateAnswer.parse({ template: { id: 'x', hash_id: 'h' } }).template, {
      id: undefined,
      hash_id: 'h',
    });
  });
});
