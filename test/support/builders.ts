import type { User } from '../../src/model/accounts/account';
import type { Instance } from '../../src/model/instances/instance';
import { fromDollars } from '../../src/model/money';
import type { Offer } from '../../src/model/offers/offer';
import type { Template } from '../../src/model/templates/template';

/** A running instance by default. */
export function anInstance(change: Partial<Instance> = {}): Instance {
  return {
    id: 5001,
    machineId: 178,
    label: 'training',
    actualStatus: 'running',
    intendedStatus: 'running',
    gpuName: 'RTX 4090',
    gpuCount: 1,
    totalPerHour: fromDollars(0.4),
    storagePerHour: fromDollars(0.005),
    runtype: 'ssh ssh_direc ssh_proxy',
    sshHost: 'ssh5.example.com',
    sshPort: 15001,
    startedAt: Date.UTC(2026, 0, 15, 11) / 1000,
    ...change,
  };
}

/** A rentable on-demand offer by default. */
export function anOffer(change: Partial<Offer> = {}): Offer {
  return {
    id: 9001,
    machineId: 178,
    gpuName: 'RTX 4090',
    gpuCount: 1,
    gpuPerHour: fromDollars(0.39),
    totalPerHour: fromDollars(0.4),
    rentable: true,
    diskSpaceGb: 200,
    ...change,
  };
}

export function aUser(change: Partial<User> = {}): User {
  return { id: 7, email: 'user@example.com', credit: fromDollars(12), ...change };
}

/** A template of the account by default. */
export function aTemplate(change: Partial<Template> = {}): Template {
  return { id: 77, hashId: 'hash-1', name: 'Trainer', image: 'pytorch/pytorch', raw: {}, ...change };
}
