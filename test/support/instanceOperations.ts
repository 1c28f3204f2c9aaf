import { documented, undocumented, type ClientMethod, type Operation } from './operation';

const instances = 'instances/instanceRoutes.ts';
const instanceKeys = 'instances/keyRoutes.ts';
const copies = 'instances/copyRoutes.ts';
const machines = 'hosting/machineRoutes.ts';

/** The methods of the client that read or change one instance, or several, and copy their data, and of machines of a host. */
export const instanceOperations: Readonly<
  Record<Extract<ClientMethod, `${'instances' | 'copies' | 'machines'}.${string}`>, Operation>
> = {
  'instances.list': documented(
    ['GET /api/v0/instances/', 'GET /api/v1/instances/'],
    'docs/service/instances.md#list',
    'instances/listRoutes.ts',
    ['gpuRental.instances', 'gpuRental.refresh'],
  ),
  'instances.get': documented(
    ['GET /api/v0/instances/{id}/'],
    'docs/service/instances.md#read-one',
    instances,
    ['gpuRental.instances'],
  ),
  'instances.start': undocumented(
    ['PUT /api/v0/instances/{id}/'],
    'docs/service/instances.md#start',
    instances,
    ['gpuRental.instance.start'],
  ),
  'instances.stop': documented(['PUT /api/v0/instances/{id}/'], 'docs/service/instances.md#stop', instances, [
    'gpuRental.instance.stop',
    'gpuRental.instance.setSchedule',
  ]),
  'instances.destroy': documented(
    ['DELETE /api/v0/instances/{id}/'],
    'docs/service/instances.md#destroy',
    instances,
    ['gpuRental.instance.destroy', 'gpuRental.instance.setSchedule'],
  ),
  'instances.stopMany': undocumented(
    ['PUT /api/v0/instances/'],
    'docs/service/instances.md#several-at-once',
    instances,
  ),
  'instances.destroyMany': undocumented(
    ['DELETE /api/v0/instances/'],
    'docs/service/instances.md#several-at-once',
    instances,
  ),
  'instances.reboot': undocumented(
    ['PUT /api/v0/instances/reboot/{id}/'],
    'docs/service/instances.md#reboot',
    instances,
    ['gpuRental.instance.reboot'],
  ),
  'instances.recycle': undocumented(
    ['PUT /api/v0/instances/recycle/{id}/'],
    'docs/service/instances.md#recycle',
    instances,
    ['gpuRental.instance.recycle'],
  ),
  'instances.changeImage': undocumented(
    ['PUT /api/v0/instances/update_template/{id}/'],
    'docs/service/instances.md#change-image-or-template',
    instances,
    ['gpuRental.instance.changeImage'],
  ),
  'instances.label': undocumented(
    ['PUT /api/v0/instances/{id}/'],
    'docs/service/instances.md#label',
    instances,
    ['gpuRental.instance.rename'],
  ),
  'instances.changeBid': undocumented(
    ['PUT /api/v0/instances/bid_price/{id}/'],
    'docs/service/instances.md#change-bid',
    instances,
    ['gpuRental.instance.changeBid'],
  ),
  'instances.deposit': undocumented(
    ['GET /api/v0/instances/balance/{id}/'],
    'docs/service/instances.md#deposit',
    instances,
    ['gpuRental.instance.open'],
  ),
  'instances.reportMachine': undocumented(
    ['PUT /api/v0/machines/{machine_id}/report'],
    'docs/service/instances.md#report-its-machine',
    instances,
    ['gpuRental.instance.reportMachine'],
  ),
  'instances.takeSnapshot': undocumented(
    ['POST /api/v0/instances/take_snapshot/{id}/'],
    'docs/service/instances.md#snapshot',
    'instances/snapshotRoutes.ts',
    ['gpuRental.instance.takeSnapshot'],
  ),
  'instances.keys': documented(
    ['GET /api/v0/instances/{instance_id}/ssh/'],
    'docs/service/ssh-keys.md#keys-of-an-instance',
    instanceKeys,
    ['gpuRental.instance.connect', 'gpuRental.instance.detachKey'],
  ),
  'instances.attachKey': undocumented(
    ['POST /api/v0/instances/{id}/ssh/'],
    'docs/service/ssh-keys.md#attach',
    instanceKeys,
    ['gpuRental.instance.attachKey'],
  ),
  'instances.detachKey': documented(
    ['DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/'],
    'docs/service/ssh-keys.md#detach',
    instanceKeys,
    ['gpuRental.instance.detachKey'],
  ),
  'instances.execute': documented(
    ['PUT /api/v0/instances/command/{id}/'],
    'docs/service/commands.md#execute',
    'instances/commandRoutes.ts',
    ['gpuRental.instance.runCommand'],
  ),
  'instances.logs': undocumented(
    ['PUT /api/v0/instances/request_logs/{id}/'],
    'docs/service/commands.md#logs',
    'instances/commandRoutes.ts',
    ['gpuRental.instance.showLogs'],
  ),
  'copies.connections': undocumented(
    ['GET /api/v0/users/cloud_integrations/'],
    'docs/service/commands.md#cloud-connections',
    copies,
    ['gpuRental.instance.copyData'],
  ),
  'copies.begin': undocumented(
    ['PUT /api/v0/commands/copy_direct/'],
    'docs/service/commands.md#copy',
    copies,
    ['gpuRental.instance.copyData'],
  ),
  'copies.cancel': undocumented(
    ['DELETE /api/v0/commands/copy_direct/'],
    'docs/service/commands.md#copy',
    copies,
    ['gpuRental.instance.copyData'],
  ),
  'copies.cancelFromClouds': undocumented(
    ['DELETE /api/v0/commands/rclone/'],
    'docs/service/commands.md#cancel-a-cloud-copy',
    copies,
    ['gpuRental.instance.copyData'],
  ),
  'copies.size': undocumented(
    ['POST /api/v0/commands/get_copy_size/'],
    'docs/service/commands.md#size-of-a-copy',
    copies,
    ['gpuRental.instance.copyData'],
  ),
  'copies.host': undocumented(
    ['PUT /api/v0/commands/rsync/'],
    'docs/service/commands.md#copy-to-this-computer',
    copies,
    ['gpuRental.job.fetchOutputs'],
  ),
  'copies.toCloud': undocumented(
    ['POST /api/v0/commands/rclone/'],
    'docs/service/commands.md#cloud-copy',
    copies,
    ['gpuRental.instance.copyData'],
  ),
  'copies.fromCloud': undocumented(
    ['POST /api/v0/commands/rclone/'],
    'docs/service/commands.md#cloud-copy',
    copies,
    ['gpuRental.instance.copyData'],
  ),
  'machines.list': undocumented(['GET /api/v0/machines/'], 'docs/service/machines.md#list', machines, [
    'gpuRental.hosting',
  ]),
  'machines.setMinimumBid': documented(
    ['PUT /api/v0/machines/{machine_id}/minbid/'],
    'docs/service/machines.md#minimum-bid',
    machines,
    ['gpuRental.machine.setMinimumBid'],
  ),
  'machines.maintenances': undocumented(
    ['GET /api/v0/machines/maintenances'],
    'docs/service/machines.md#windows',
    machines,
    ['gpuRental.hosting'],
  ),
  'machines.plannedMaintenance': undocumented(
    ['POST /api/v0/machines/maintenances'],
    'docs/service/machines.md#windows',
    machines,
    ['gpuRental.instances'],
  ),
  'machines.cancelMaintenance': undocumented(
    ['DELETE /api/v0/machines/maintenances'],
    'docs/service/machines.md#windows',
    machines,
    ['gpuRental.machine.cancelMaintenance'],
  ),
  'machines.scheduleMaintenance': documented(
    ['PUT /api/v0/machines/{machine_id}/dnotify'],
    'docs/service/machines.md#maintenance',
    machines,
    ['gpuRental.machine.scheduleMaintenance'],
  ),
};
