import { randomBytes } from 'node:crypto';
import { pathId } from '../body';
import { monthHours, type Slice } from '../market/market';
import { callerOf, ok, route, ServiceError, type Caller, type Route, type SimRequest } from '../route';
import { keyComment } from '../sshKeys/publicKey';
import type { InstanceKey, InstanceState } from '../state';
import type { World } from '../world';
import type { Lifecycle } from './lifecycle';
import type { Orders } from './orders';
import { checkMerged, parseRentBody, type ParsedRent } from './rentBody';
import { mergeRent } from './rentMerge';

/** PUT asks/{id}; each refusal carries `ask_id` (docs/service/renting.md#refusals). */
export function rentRoutes(world: World, lifecycle: Lifecycle, orders: Orders): Route[] {
  return [
    route(
      'PUT /api/v0/asks/{id}/',
      { permission: 'instance_write', endpoint: 'api.ask.create', everySeconds: 4.5 },
      (request) => {
        const askId = pathId(request.params['id'], 'invalid_args', 'no_such_ask: there is no such offer.');
        try {
          return rent({ world, lifecycle, orders }, askId, request);
        } catch (error) {
          throw error instanceof ServiceError
            ? new ServiceError(error.status, error.code, error.message, { ...error.extra, ask_id: askId })
            : error;
        }
      },
    ),
  ];
}

interface RentContext {
  readonly world: World;
  readonly lifecycle: Lifecycle;
  readonly orders: Orders;
}

function rent({ world, lifecycle, orders }: RentContext, askId: number, request: SimRequest) {
  const caller = callerOf(request);
  const slice = world.market.offer(askId);
  if (!slice) {
    throw new ServiceError(404, 'invalid_args', `no_such_ask: there is no offer ${askId}.`);
  }
  const parsed = parseRentBody(request.body);
  const waits = checkOffer(world, slice, caller, parsed);
  const instance = makeInstance(world, slice, caller, parsed);
  lifecycle.billing.settleAccount(caller.accountId);
  lifecycle.begin(instance);
  const doubt = orders.nextRentDoubt() ?? (waits ? unavailable(askId) : undefined);
  return ok({
    success: doubt === undefined,
    ...doubt,
    new_contract: instance.id,
    instance_api_key: instance.apiKey,
  });
}

/**
 * Without `cancel_unavail` the contract is made and waits, and its disk costs money
 * (docs/service/renting.md#unavailable-machines).
 */
const unavailable = (askId: number) => ({
  error: 'resources_unavailable',
  msg: 'Required resources are currently unavailable, state change queued.',
  ask_id: askId,
});

/**
 * Returns whether the rental has to wait for a GPU.
 * @throws ServiceError if it is impossible.
 */
function checkOffer(world: World, slice: Slice, caller: Caller, parsed: ParsedRent): boolean {
  const { machine, gpus } = slice;
  const account = world.account(caller.accountId);
  if (world.market.isPrivate(machine) && account.hostId !== machine.hostId) {
    throw new ServiceError(403, 'invalid_args', 'This machine is offered to its owner only.');
  }
  if (world.market.isGone(slice)) {
    throw new ServiceError(410, 'no_such_ask', `Offer ${slice.offerId} is no longer available.`);
  }
  if (account.credit <= 0) {
    throw new ServiceError(400, 'missing_billing', 'Add credit before renting an instance.');
  }
  const least = world.market.minBidPerGpu(machine) * gpus;
  if (parsed.price !== undefined && parsed.price < least - 1e-9) {
    throw new ServiceError(400, 'invalid_price', `The lowest bid for this offer is ${least.toFixed(4)}.`);
  }
  if (parsed.price !== undefined && parsed.price > 32 * gpus) {
    throw new ServiceError(400, 'invalid_price', `The highest bid for this offer is ${32 * gpus}.`);
  }
  if (parsed.vm && !machine.vms) {
    throw new ServiceError(400, 'invalid_args', 'This machine does not run VMs.');
  }
  if (parsed.vm && !world.sshKeys.some((key) => key.accountId === caller.accountId)) {
    throw new ServiceError(400, 'no_ssh_key_for_vm', 'Add an SSH key before creating a VM.');
  }
  const waits = parsed.targetState === 'running' && world.market.freeGpus(machine) < gpus;
  if (waits && parsed.cancelUnavailable) {
    throw new ServiceError(410, 'no_such_ask', `Offer ${slice.offerId} is no longer available.`);
  }
  return waits;
}

function makeInstance(world: World, slice: Slice, caller: Caller, parsed: ParsedRent): InstanceState {
  const { machine, gpus } = slice;
  const template =
    parsed.templateHash === undefined
      ? undefined
      : world.ports.templates?.byHash(parsed.templateHash, caller.accountId);
  if (parsed.templateHash !== undefined && !template) {
    throw new ServiceError(400, 'invalid_args', `There is no template ${parsed.templateHash}.`);
  }
  const merged = mergeRent(parsed.request, template);
  checkMerged(merged, parsed.request);
  if (merged.diskGb > (machine.diskGb * gpus) / machine.gpus) {
    throw new ServiceError(400, 'invalid_args', 'The machine has not so much disk.');
  }
  const id = world.nextId('instance', 24_518_001);
  const volumes = parsed.volumeInfo ? [attachVolume(world, slice, caller, id, parsed.volumeInfo)] : [];
  const apiKey = randomBytes(32).toString('hex');
  world.keys.create({ accountId: caller.accountId, name: `Instance ${id}`, onlyInstance: id }, apiKey);
  if (template) {
    world.ports.templates?.rented?.(template.id);
  }
  const onDemand = world.market.pricePerGpu(machine) * gpus;
  return {
    id,
    accountId: caller.accountId,
    offerId: slice.offerId,
    machineId: machine.id,
    label: parsed.request.label ?? null,
    createdAt: world.now(),
    startedAt: null,
    actualStatus: null,
    intendedStatus: parsed.targetState,
    statusMessage: null,
    failed: false,
    outbid: false,
    waiting: false,
    pending: null,
    nextBootFailure: null,
    isBid: parsed.price !== undefined,
    bidPrice: parsed.price ?? 0,
    rates: {
      gpu: parsed.price ?? onDemand,
      disk: (machine.storageCost * merged.diskGb) / monthHours,
    },
    billedUntil: world.now(),
    usage: [],
    image: merged.image,
    imageLogin: merged.imageLogin,
    access: merged.access,
    args: [...merged.args],
    env: { ...merged.env },
    onstart: merged.onstart,
    templateHash: template?.hashId ?? null,
    templateId: template?.id ?? null,
    templateName: template?.name ?? null,
    extraFilters: { ...merged.extraFilters },
    jupyterToken: randomBytes(32).toString('hex'),
    jupyterDir: merged.jupyterDir,
    jupyterLab: merged.jupyterLab,
    utf8: parsed.utf8,
    isVm: parsed.vm,
    diskGb: merged.diskGb,
    volumes,
    apiKey,
    keys: accountKeys(world, caller.accountId),
    proxyPort: null,
    directPorts: {},
    hostLog: [],
  };
}

/** New instances get the keys of the account (docs/service/ssh-keys.md#account-keys). */
function accountKeys(world: World, accountId: number): InstanceKey[] {
  return world.sshKeys
    .filter((key) => key.accountId === accountId)
    .map((key) => ({ id: key.id, name: keyComment(key.publicKey), publicKey: key.publicKey }));
}

function attachVolume(
  world: World,
  slice: Slice,
  caller: Caller,
  instanceId: number,
  wanted: Readonly<Record<string, unknown>>,
) {
  const { volumes } = world.ports;
  if (!volumes) {
    throw new ServiceError(400, 'invalid_args', 'There is no such volume.');
  }
  return volumes.attach(wanted, {
    accountId: caller.accountId,
    machineId: slice.machine.id,
    instanceId,
  });
}
