import type { AnyCommandId } from '../../commandSpecs';
import { t } from '../../editor/localize';
import type { InstanceActions } from '../../model/instances/instanceState';
import type { ReportView } from '../../webview/report/protocol';

type Button = ReportView['buttons'][number];

interface PageAction {
  readonly id: AnyCommandId;
  readonly label: () => string;
  /** The flag of the menus; every state has an action without one. */
  readonly needs?: keyof InstanceActions;
}

/** The actions of the page, in the order of their use; each is a command with the instance. */
const pageActions = [
  { id: 'gpuRental.instance.connect', label: () => t('Connect'), needs: 'canConnect' },
  { id: 'gpuRental.instance.openTerminal', label: () => t('Open Terminal'), needs: 'canConnect' },
  { id: 'gpuRental.instance.copySshCommand', label: () => t('Copy SSH Command'), needs: 'canConnect' },
  { id: 'gpuRental.instance.start', label: () => t('Start…'), needs: 'canStart' },
  { id: 'gpuRental.instance.showLogs', label: () => t('Show Log') },
  { id: 'gpuRental.instance.check', label: () => t('Check Machine'), needs: 'canConnect' },
  { id: 'gpuRental.instance.stop', label: () => t('Stop…'), needs: 'canStop' },
  { id: 'gpuRental.instance.setSchedule', label: () => t('End Later…') },
  { id: 'gpuRental.instance.reboot', label: () => t('Reboot…'), needs: 'canReboot' },
  { id: 'gpuRental.instance.changeBid', label: () => t('Change Bid…'), needs: 'canChangeBid' },
  { id: 'gpuRental.instance.rentAnother', label: () => t('Rent Another Like This…') },
  { id: 'gpuRental.instance.showDetails', label: () => t('Show Details') },
  { id: 'gpuRental.instance.destroy', label: () => t('Destroy…'), needs: 'canDestroy' },
] as const satisfies readonly PageAction[];

const others = ['gpuRental.instance.replaceFailed'] as const;

type PageCommand = (typeof pageActions)[number]['id'] | (typeof others)[number];

/** Returns the command of a button; `undefined` for another button. */
export function pageCommand(button: string): PageCommand | undefined {
  return [...pageActions.map(({ id }) => id), ...others].find((id) => id === button);
}

/** Returns the buttons that the state allows; the first one is the usual next step. */
export function actionButtons(allowed: InstanceActions): Button[] {
  const all: readonly PageAction[] = pageActions;
  return all
    .filter(({ needs }) => needs === undefined || allowed[needs])
    .map(({ id, label }, index) => ({
      id,
      label: label(),
      primary: index === 0 && id !== 'gpuRental.instance.showLogs',
    }));
}
