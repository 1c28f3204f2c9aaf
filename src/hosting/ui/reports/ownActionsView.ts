import type { AnyCommandId } from '../../../commandSpecs';
import { t } from '../../../editor/localize';
import { titleOf } from '../../../editor/titles';
import type { OwnAction } from '../../../model/accounts/ownAction';
import type { Actor } from '../../../util/acting';
import type { ReportView } from '../../../webview/report/protocol';
import { textCell, timeCell } from './cells';

/** The commands whose titles name what a call did. */
const commandOf: Readonly<Record<string, AnyCommandId>> = {
  'DELETE /api/v0/instances/{id}/': 'gpuRental.instance.destroy',
  'DELETE /api/v0/instances/': 'gpuRental.instance.destroy',
  'PUT /api/v0/instances/reboot/{id}/': 'gpuRental.instance.reboot',
  'PUT /api/v0/instances/recycle/{id}/': 'gpuRental.instance.recycle',
  'PUT /api/v0/instances/update_template/{id}/': 'gpuRental.instance.changeImage',
  'PUT /api/v0/instances/bid_price/{id}/': 'gpuRental.instance.changeBid',
  'POST /api/v0/instances/take_snapshot/{id}/': 'gpuRental.instance.takeSnapshot',
  'PUT /api/v0/instances/command/{id}/': 'gpuRental.instance.runCommand',
  'PUT /api/v0/commands/copy_direct/': 'gpuRental.instance.copyData',
  'POST /api/v0/commands/rclone/': 'gpuRental.instance.copyData',
  'PUT /api/v0/volumes/': 'gpuRental.volume.create',
  'POST /api/v0/volumes/copy/': 'gpuRental.volume.clone',
  'DELETE /api/v0/volumes/': 'gpuRental.volume.delete',
  'DELETE /api/v0/template/': 'gpuRental.template.delete',
  'DELETE /api/v0/ssh/{id}/': 'gpuRental.sshKey.delete',
  'DELETE /api/v0/auth/apikeys/{id}/': 'gpuRental.apiKey.delete',
  'PUT /api/v0/secrets/': 'gpuRental.secret.set',
  'DELETE /api/v0/secrets/': 'gpuRental.secret.delete',
  'POST /api/v0/deployment/{id}/start/': 'gpuRental.deployment.start',
  'POST /api/v0/deployment/{id}/stop/': 'gpuRental.deployment.stop',
  'PUT /api/v0/machines/{machine_id}/minbid/': 'gpuRental.machine.setMinimumBid',
  'PUT /api/v0/machines/{machine_id}/dnotify': 'gpuRental.machine.scheduleMaintenance',
  'DELETE /api/v0/tfa/': 'gpuRental.tfa.removeMethod',
  'PUT /api/v0/tfa/regen-backup-codes/': 'gpuRental.tfa.regenerateBackupCodes',
};

/** Returns what this product did on this computer, latest first. */
export function ownSection(actions: readonly OwnAction[]): ReportView['sections'][number] {
  const columns = [
    t('Time (UTC)'),
    t('Change'),
    t('Number'),
    t('By'),
    t('Folder'),
    t('Result'),
    t('Request ID'),
  ];
  return {
    id: 'own',
    title: t('Done by GPU Rental on This Computer'),
    folded: false,
    table: {
      caption: t('Requests that cost money or delete something, latest first'),
      columns: columns.map((label) => ({ label, numeric: false })),
      rows: actions.map((action, index) => ({
        id: String(index),
        cells: [
          timeCell(action.at),
          textCell(changeText(action)),
          textCell(action.ids.map((id) => `#${id}`).join(' ')),
          textCell(actorText(action.actor)),
          textCell(action.window),
          textCell(endText(action.end)),
          textCell(action.requestId),
        ],
      })),
    },
  };
}

/** Returns whether it was about an instance. */
export function isOfInstances({ route }: OwnAction): boolean {
  return /^\w+ \/api\/v0\/(?:asks|instances)\//.test(route);
}

function changeText({ route, state }: OwnAction): string {
  const command = commandOf[route];
  if (command !== undefined) {
    return titleOf(command);
  }
  if (state !== undefined) {
    return titleOf(state === 'running' ? 'gpuRental.instance.start' : 'gpuRental.instance.stop');
  }
  if (route.startsWith('PUT /api/v0/asks/')) {
    return t('Rent');
  }
  if (route.includes('/commands/schedule_job/')) {
    return t('Timetable of the service');
  }
  return route;
}

function actorText(actor: Actor | undefined): string {
  const { kind, name = '' } = actor ?? {};
  switch (kind) {
    case 'command':
      // Another version may have commands that this one has not; they are shown by their ids.
      return t('Command: {0}', titleOf(name as AnyCommandId));
    case 'agent':
      return t('Agent: “{0}” (unverified name)', name);
    case 'schedule':
      return t('Schedule');
    case 'job':
      return t('Job');
    case 'budget':
      return t('Budget');
    case 'parking':
      return t('Command: {0}', titleOf('gpuRental.instance.park'));
    case 'automatic':
      return t('Automatic');
    case undefined:
      return t('unknown');
  }
}

function endText(end: OwnAction['end']): string {
  return end === 'done' ? t('done') : end === 'refused' ? t('refused') : t('no answer');
}
