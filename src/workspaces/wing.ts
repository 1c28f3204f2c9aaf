import { join } from 'node:path';
import type { Services } from '../services';
import { servedInstance } from '../ssh/hostDownload';
import { runProgram } from '../ssh/run';
import type { Account } from '../store/accounts/accounts';
import { accountStill } from '../store/accounts/sameAccount';
import { homeFolder } from '../util/thisUser';
import type { Own, Wing } from '../wing';
import { MirrorEngine } from './machine/mirror/engine';
import { createParkedPieces } from './machine/parked/parkedPieces';
import { lookAtServed } from './machine/parked/servedFolder';
import { createParkedWork } from './parkedWork';
import { reachedAlias } from './reachedAlias';
import { createRescuedWork } from './rescuedWork';
import { Mirrors } from './store/mirrors';
import { ParkedFiles } from './store/parkedFiles';
import { ParkingRunner } from './store/parkingRunner';
import { Parkings } from './store/parkings';
import { register } from './ui';
import { registerParked } from './ui/parked';
import { registerSetUp } from './ui/setUp';
import { checkTrusted } from './ui/startMirror';

export const wingOfWorkspaces: Wing = {
  name: 'workspaces',
  start: (services: Services, own: Own) => {
    const { accounts, clock, log, machineChecks, storageDir } = services;
    const create: ConstructorParameters<typeof Mirrors>[0]['create'] = (folder, notes) =>
      new MirrorEngine(folder, {
        ...services,
        notes,
        run: runProgram,
        home: homeFolder(),
        platform: process.platform,
        reach: async (signal) => {
          checkTrusted();
          return reachedAlias(services, accountStill(accounts, folder.accountKey), folder.instanceId, signal);
        },
      });
    const files = new ParkedFiles(join(storageDir, 'parked'), log, clock);
    const parkings = own(new Parkings({ ...services, files }));
    const pieces = (alias: string, folder: string) =>
      createParkedPieces({ ...services, platform: process.platform }, { alias, folder });
    const servedBy = (account: Account, instanceId: number) =>
      servedInstance(services, services.ssh.aliasOf(account, instanceId), instanceId, account);
    const made = {
      mirrors: own(new Mirrors({ ...services, create })),
      parkings,
      provedHere: async (setId: string, signal: AbortSignal) => {
        const own = pieces('', files.folderOf(setId));
        const manifest = await own.saved();
        return manifest ? own.proveHere(manifest, signal) : [''];
      },
      lookAtFolder: (alias: string, root: string, signal: AbortSignal) =>
        pieces(alias, storageDir).look(root, signal),
      lookAtServed: (account: Account, instanceId: number, root: string, signal: AbortSignal) =>
        lookAtServed({ served: servedBy(account, instanceId), root, leftOut: [] }, signal),
    };
    own(
      new ParkingRunner({
        ...services,
        parkings,
        firstContact: machineChecks.contact,
        work: (account, set, machine) => {
          const folder = files.folderOf(set.id);
          const work = createParkedWork(services, (alias) => pieces(alias, folder), account, set, machine);
          const served = servedBy(account, machine.instanceId);
          return set.plan === 'rescue'
            ? createRescuedWork(work, served, pieces('', folder), folder, set)
            : work;
        },
      }),
    );
    own(register({ ...services, ...made }));
    own(registerParked({ ...services, ...made }));
    own(registerSetUp({ ...services, ...made }));
    return made;
  },
};
