import { writeScene, type EngineScene } from '../engine/engineScene';
import { makeSshHost } from '../login/makeSshHost';
import type { Route } from '../route';
import { accountKeyRoutes } from '../sshKeys/accountKeyRoutes';
import type { World } from '../world';
import { commandRoutes } from './commandRoutes';
import { copyRoutes } from './copyRoutes';
import { InstanceFolders } from './instanceFolders';
import { instanceRoutes } from './instanceRoutes';
import { instanceKeyRoutes } from './keyRoutes';
import { Lifecycle } from './lifecycle';
import { listRoutes } from './listRoutes';
import { Orders } from './orders';
import { PriceIncreases } from './priceIncreases';
import { rentRoutes } from './rentRoutes';
import { Results } from './results';
import { snapshotRoutes } from './snapshotRoutes';
import type { SshHost } from './sshHost';
import { Timetable } from './timetable';

/** Everything about instances: their life, their folders, their SSH, their routes. */
export class InstanceService {
  readonly orders = new Orders();
  readonly lifecycle: Lifecycle;
  readonly priceIncreases: PriceIncreases;
  readonly timetable: Timetable;
  readonly routes: readonly Route[];
  private readonly folders: InstanceFolders;
  private readonly ssh: SshHost;

  constructor(world: World, onConnections: (change: 1 | -1) => void) {
    this.folders = new InstanceFolders(world.options);
    this.ssh = makeSshHost(world, this.folders, onConnections);
    this.lifecycle = new Lifecycle(world, this.ssh, this.folders, this.orders);
    this.priceIncreases = new PriceIncreases(world, this.lifecycle);
    this.timetable = new Timetable(world, this.lifecycle);
    const results = new Results(world);
    this.routes = [
      ...rentRoutes(world, this.lifecycle, this.orders),
      ...listRoutes(world, this.lifecycle),
      ...instanceRoutes(world, this.lifecycle),
      ...instanceKeyRoutes(world, this.lifecycle),
      ...snapshotRoutes(world),
      ...commandRoutes({ world, folders: this.folders, results }),
      ...copyRoutes({ world, folders: this.folders, lifecycle: this.lifecycle, ssh: this.ssh, results }),
      ...this.priceIncreases.routes(),
      ...this.timetable.routes(),
      ...accountKeyRoutes(world),
    ];
  }

  /** Says how the engines of all machines behave from now on. */
  playEngines(scene: EngineScene): void {
    writeScene(this.folders.engineScene(), scene);
  }

  async close(): Promise<void> {
    this.lifecycle.dispose();
    await this.ssh.dispose();
    this.folders.dispose();
  }
}
