import type { AnyCommandId } from '../../commandSpecs';
import { t } from '../../editor/localize';
import { labelOf } from '../../editor/titles';
import type { InstanceActions } from '../../model/instances/instanceState';
import type { ReportView } from '../../webview/report/protocol';

type Button = ReportView['buttons'][number];

interface PageAction {
  readonly id: AnyCommandId;
  /** Differs from the title of the command. */
  readonly label?: () => string;
  /** The flag of the menus; every state has an action without one. */
  readonly needs?: keyof InstanceActions;
  /** The usual next step, where the state allows it. */
  readonly isPrimary?: true;
}

/** The actions in the order of their use, under the part of the page that they belong to. */
const pageActions = {
  head: [
    { id: 'gpuRental.instance.connect', needs: 'canConnect', isPrimary: true },
    { id: 'gpuRental.instance.openTerminal', needs: 'canConnect' },
    { id: 'gpuRental.instance.upload', needs: 'canConnect' },
    { id: 'gpuRental.instance.start', needs: 'canStart', isPrimary: true },
    { id: 'gpuRental.instance.stop', needs: 'canStop' },
    { id: 'gpuRental.instance.destroy', needs: 'canDestroy' },
    { id: 'gpuRental.instance.rentAnother' },
  ],
  status: [{ id: 'gpuRental.instance.setSchedule' }],
  machine: [
    { id: 'gpuRental.instance.check', needs: 'canConnect' },
    // The service takes it only while the instance exists.
    { id: 'gpuRental.instance.reportMachine', needs: 'canDestroy' },
  ],
  bid: [
    {
      id: 'gpuRental.instance.changeBid',
      needs: 'canChangeBid',
    },
  ],
  configuration: [
    { id: 'gpuRental.instance.takeSnapshot', needs: 'canDownload' },
    { id: 'gpuRental.instance.showDetails', label: () => t('Show as JSON') },
  ],
  services: [{ id: 'gpuRental.instance.readServices', needs: 'canConnect' }],
  access: [
    { id: 'gpuRental.instance.shareAccess', needs: 'canDestroy' },
    { id: 'gpuRental.refreshInstanceKeys', label: () => t('Read SSH Keys'), needs: 'canDestroy' },
  ],
  setUp: [{ id: 'gpuRental.setUp.run', needs: 'canConnect' }],
  setUpSecrets: [{ id: 'gpuRental.setUp.removeSecrets', needs: 'canConnect' }],
  work: [{ id: 'gpuRental.terminal.end', needs: 'canConnect' }],
  log: [{ id: 'gpuRental.instance.showLogs' }],
  notice: [
    {
      id: 'gpuRental.instance.replaceFailed',
      label: () => t('Destroy and Rent Next Best'),
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
      label: label?.() ?? labelOf(id),
      ...(isPrimary === undefined ? {} : { primary: isPrimary }),
    }));
}
