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
  /** The usual next step, where the state allows it. */
  readonly isPrimary?: true;
}

/** The actions in the order of their use, under the part of the page that they belong to. */
const pageActions = {
  head: [
    { id: 'gpuRental.instance.connect', label: () => t('Connect'), needs: 'canConnect', isPrimary: true },
    { id: 'gpuRental.instance.openTerminal', label: () => t('Open Terminal'), needs: 'canConnect' },
    { id: 'gpuRental.instance.upload', label: () => t('Upload…'), needs: 'canConnect' },
    { id: 'gpuRental.instance.start', label: () => t('Start…'), needs: 'canStart', isPrimary: true },
    { id: 'gpuRental.instance.stop', label: () => t('Stop…'), needs: 'canStop' },
    { id: 'gpuRental.instance.destroy', label: () => t('Destroy…'), needs: 'canDestroy' },
    { id: 'gpuRental.instance.rentAnother', label: () => t('Rent Another Like This…') },
  ],
  status: [{ id: 'gpuRental.instance.setSchedule', label: () => t('End Later…') }],
  machine: [{ id: 'gpuRental.instance.check', label: () => t('Check Machine'), needs: 'canConnect' }],
  bid: [{ id: 'gpuRental.instance.changeBid', label: () => t('Change Bid…'), needs: 'canChangeBid' }],
  configuration: [{ id: 'gpuRental.instance.showDetails', label: () => t('Show as JSON') }],
  log: [{ id: 'gpuRental.instance.showLogs', label: () => t('Show Log') }],
  notice: [
    {
      id: 'gpuRental.instance.replaceFailed',
      label: () => t('Destroy and Rent Next Best…'),
      needs: 'canReplace',
    },
  ],
} as const satisfies Record<string, readonly PageAction[]>;

type PagePart = keyof typeof pageActions;
type PageCommand = (typeof pageActions)[PagePart][number]['id'];

/** Returns the command of a button; `undefined` for another button. */
export function pageCommand(button: string): PageCommand | undefined {
  return Object.values(pageActions)
    .flatMap((actions) => actions.map(({ id }) => id))
    .find((id) => id === button);
}

/** Returns the buttons of a part that the state allows. */
export function actionButtons(part: PagePart, allowed: InstanceActions): Button[] {
  const all: readonly PageAction[] = pageActions[part];
  return all
    .filter(({ needs }) => needs === undefined || allowed[needs])
    .map(({ id, label, isPrimary }) => ({
      id,
      label: label(),
      ...(isPrimary === undefined ? {} : { primary: isPrimary }),
    }));
}
