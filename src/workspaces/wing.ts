import { join } from 'node:path';
import type { Services } from '../services';
import { runProgram } from '../ssh/run';
import { accountStill } from '../store/accounts/sameAccount';
import { homeFolder } from '../util/thisUser';
import type { Own, Wing } from '../wing';
import { MirrorEngine } from './machine/mirror/engine';
import { createParkedPieces } from './machine/parked/parkedPieces';
import { createParkedWork } from './parkedWork';
import { reachedAlias } from './reachedAlias';
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
    };
    own(
      new ParkingRunner({
        ...services,
        parkings,
        firstContact: machineChecks.contact,
        work: (account, set, machine) =>
          createParkedWork(services, (alias) => pieces(alias, files.folderOf(set.id)), account, set, machine),
      }),
    );
    own(register({ ...services, ...made }));
    own(registerParked({ ...services, ...made }));
    own(registerSetUp({ ...services, ...made }));
    return made;
  },
};
