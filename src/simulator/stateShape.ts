import { isObject } from './body';
import { isMachineManner } from './login/manners';
import type * as State from './state';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isFlag: Check = (value) => typeof value === 'boolean';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const recordOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check);
const anyRecord = recordOf(() => true);

/** Holds one check for each field of the type, so that none is forgotten. */
function shape<T extends object>(fields: Readonly<Record<keyof T, Check>>): Check {
  const checks = Object.entries<Check>(fields);
  return (value) => isObject(value) && checks.every(([name, check]) => check(value[name]));
}

const account = shape<Required<State.Account>>({
  id: isNumber,
  email: isText,
  username: isText,
  fullName: isText,
  credit: isNumber,
  balance: isNumber,
  createdAt: isNumber,
  emailVerifiedAt: orNull(isNumber),
  isAdmin: isFlag,
  sshKey: optional(isText),
  hostId: optional(isNumber),
  spent: isNumber,
});

const key = shape<Required<State.KeyRecord>>({
  id: isNumber,
  accountId: isNumber,
  name: isText,
  hash: isText,
  permissions: optional(anyRecord),
  ipWhitelist: optional(listOf(isText)),
  createdAt: isNumber,
  onlyInstance: optional(isNumber),
});

const sshKey = shape<State.AccountSshKey>({
  id: isNumber,
  accountId: isNumber,
  publicKey: isText,
  createdAt: isNumber,
});

const instance = shape<Required<State.InstanceState>>({
  id: isNumber,
  accountId: isNumber,
  offerId: isNumber,
  machineId: isNumber,
  label: orNull(isText),
  createdAt: isNumber,
  startedAt: orNull(isNumber),
  actualStatus: orNull(isText),
  intendedStatus: (value) => value === 'running' || value === 'stopped',
  statusMessage: orNull(isText),
  failed: isFlag,
  outbid: isFlag,
  waiting: isFlag,
  pending: orNull(shape<State.PendingStep>({ kind: isText, at: isNumber, count: isNumber })),
  nextBootFailure: orNull(shape<State.BootFailure>({ outcome: isText, message: isText })),
  isBid: isFlag,
  bidPrice: isNumber,
  rates: shape<State.Rates>({ gpu: isNumber, disk: isNumber }),
  billedUntil: isNumber,
  usage: listOf(shape<State.DayUsage>({ day: isNumber, gpu: isNumber, disk: isNumber })),
  image: isText,
  imageLogin: orNull(isText),
  access: shape<State.Access>({ ssh: isFlag, jupyter: isFlag, direct: isFlag }),
  args: listOf(isText),
  env: recordOf(isText),
  onstart: orNull(isText),
  templateHash: orNull(isText),
  templateId: orNull(isNumber),
  templateName: orNull(isText),
  extraFilters: anyRecord,
  jupyterToken: isText,
  jupyterDir: orNull(isText),
  jupyterLab: isFlag,
  utf8: isFlag,
  isVm: isFlag,
  diskGb: isNumber,
  volumes: listOf(shape<State.VolumeMount>({ volumeId: isNumber, mountPath: isText })),
  apiKey: isText,
  keys: listOf(shape<State.InstanceKey>({ id: isNumber, name: isText, publicKey: isText })),
  manner: optional((value) => typeof value === 'string' && isMachineManner(value)),
  gpuUse: optional(isNumber),
  hostEndsAt: optional(isNumber),
  proxyPort: orNull(isNumber),
  directPorts: recordOf(isNumber),
  hostLog: listOf(isText),
});

const world = shape<State.WorldState>({
  version: (value) => value === 1,
  seed: isNumber,
  clockOffsetMs: isNumber,
  nextIds: recordOf(isNumber),
  accounts: listOf(account),
  keys: listOf(key),
  instances: listOf(instance),
  sshKeys: listOf(sshKey),
  sections: anyRecord,
});

/** Whether something read from a file is a state of this version of the simulator. */
export function isWorldState(value: unknown): value is State.WorldState {
  return world(value);
}
