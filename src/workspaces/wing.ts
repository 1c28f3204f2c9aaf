import { actionsFor, stateLabel, stateOf } from '../model/instances/instanceState';
import type { Services } from '../services';
import { runProgram } from '../ssh/run';
import { TransferError } from '../ssh/transfer';
import { accountStill } from '../store/accounts/sameAccount';
import { text } from '../util/text';
import { homeFolder } from '../util/thisUser';
import type { Own, Wing } from '../wing';
import { MirrorEngine } from './machine/mirror/engine';
import { createParkedPieces } from './machine/parked/parkedPieces';
import { Mirrors } from './store/mirrors';
import { register } from './ui';
import { registerSetUp } from './ui/setUp';
import { checkTrusted } from './ui/startMirror';

export const wingOfWorkspaces: Wing = {
  name: 'workspaces',
  start: (services: Services, own: Own) => {
    const { accounts, clock, fleet, machineChecks, ssh } = services;
    const create: ConstructorParameters<typeof Mirrors>[0]['create'] = (folder, notes) =>
      new MirrorEngine(folder, {
        ...services,
        notes,
        run: runProgram,
        home: homeFolder(),
        platform: process.platform,
        reach: async (signal) => {
          checkTrusted();
          const alias = ssh.aliasOf(accountStill(accounts, folder.accountKey), folder.instanceId);
          const instance = fleet.find(folder.instanceId);
          const facts = fleet.facts(folder.instanceId);
          // The address of one that does not run may be another renter's.
          if (instance && !actionsFor(instance, facts, clock.now()).canConnect) {
            const state = stateLabel(instance, stateOf(instance, facts, clock.now()));
            throw new TransferError(text('The instance is not running: {0}', state));
          }
          if ((await ssh.entry(alias))?.isProved !== true) {
            await machineChecks.contact(folder.instanceId, signal);
          }
          return alias;
        },
      });
    const made = {
      mirrors: own(new Mirrors({ ...services, create })),
      parkedPieces: (alias: string, folder: string) =>
        createParkedPieces({ ...services, platform: process.platform }, { alias, folder }),
    };
    own(register({ ...services, ...made }));
    own(registerSetUp(services));
    return made;
  },
};
