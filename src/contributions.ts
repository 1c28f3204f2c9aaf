/** The declarations of `package.json`, with types; `test/unit/contributions.test.ts` compares the two. */

import type { AnyCommandId } from './commandSpecs';

/** Context keys of `when` clauses, with their initial values. */
export const contextKeyDefaults = {
  'gpuRental.loaded': false,
  'gpuRental.signedIn': false,
  'gpuRental.unreadable': false,
  'gpuRental.demo': false,
  'gpuRental.busy': false,
  'gpuRental.hosting': false,
  /** Completed steps of the walkthrough. */
  'gpuRental.done.signIn': false,
  'gpuRental.done.search': false,
  'gpuRental.done.rent': false,
  'gpuRental.done.connect': false,
  'gpuRental.done.job': false,
  'gpuRental.done.stop': false,
  /** A job ran on this computer. */
  'gpuRental.jobs': false,
  /** A rental that the list of instances may not contain yet. */
  'gpuRental.renting': false,
  /** A folder of this window has a workspace file. */
  'gpuRental.workspaceFile': false,
  /** This window is on one of our instances. */
  'gpuRental.connected': false,
  'gpuRental.templateConflict': false,
  /** The key in use is known to lack the permission. */
  'gpuRental.lacks.instance_write': false,
  'gpuRental.lacks.user_write': false,
  'gpuRental.lacks.misc': false,
};
export type ContextKey = keyof typeof contextKeyDefaults;

/** Steps of the walkthrough, in its order. */
export const stepKeys = [
  'gpuRental.done.signIn',
  'gpuRental.done.search',
  'gpuRental.done.rent',
  'gpuRental.done.connect',
  'gpuRental.done.job',
  'gpuRental.done.stop',
] as const satisfies readonly ContextKey[];

export const viewIds = [
  'gpuRental.instances',
  'gpuRental.jobs',
  'gpuRental.templates',
  'gpuRental.sshKeys',
  'gpuRental.account',
  'gpuRental.hosting',
] as const;
export type ViewId = (typeof viewIds)[number];

/** Settings with their types; all of them have scope `application`. */
export interface Settings {
  'gpuRental.service.url': string;
  'gpuRental.network.transport': 'auto' | 'vscode' | 'undici';
  /** Saved searches by name, in display units; read through `model/offers/savedSearches`. */
  'gpuRental.search.saved': Readonly<Record<string, unknown>>;
  /** Dollars an hour for all running instances; 0 means no limit. */
  'gpuRental.rent.limitPerHour': number;
  /** When new rentals end by themselves; 0 means never. */
  'gpuRental.end.idleMinutes': number;
  'gpuRental.end.destroyAfterDays': number;
  /** Whether ends at a time are also kept in the timetable of the service. */
  'gpuRental.end.useServiceTimetable': boolean;
  /** When a served model ends, in minutes without a request (0: never) and in hours. */
  'gpuRental.models.idleMinutes': number;
  'gpuRental.models.maxHours': number;
  /** The name of the volume that keeps weights; empty without one. */
  'gpuRental.models.volume': string;
  /** Dollars that an account may spend in a day and a month; 0 means no limit. */
  'gpuRental.budget.perDay': number;
  'gpuRental.budget.perMonth': number;
  /** Percent of a limit at which a warning appears. */
  'gpuRental.budget.warnPercent': number;
  'gpuRental.budget.stopAllAtLimit': boolean;
  'gpuRental.ready.timeoutMinutes': number;
  'gpuRental.ready.onFailure': 'ask' | 'replace';
  /** If true, a machine is ready when a login worked, not as soon as it runs. */
  'gpuRental.ready.checkLogin': boolean;
  'gpuRental.statusBar.enabled': boolean;
  /** Hours without use after which a running instance counts as forgotten; 0 for never. */
  'gpuRental.warn.idleHours': number;
  /** Days after which a warning names a stopped instance; 0 for never. */
  'gpuRental.warn.stoppedDays': number;
  'gpuRental.hosting.show': 'auto' | 'always';
  'gpuRental.connect.openIn': 'newWindow' | 'currentWindow';
  'gpuRental.connect.folder': string;
  /** Which tmux terminals on instances have: each its own, the one of the service's images, or none. */
  'gpuRental.terminal.tmux': 'own' | 'service' | 'none';
  /** What machines are set up with: only where unset there, from a repository, by names of variables, and by ids. */
  'gpuRental.setUp.gitIdentity': boolean;
  'gpuRental.setUp.dotfiles': string;
  'gpuRental.setUp.secrets': readonly string[];
  'gpuRental.setUp.extensions': readonly string[];
  'gpuRental.agents.access': 'off' | 'read' | 'ask';
  /** Limits for agents; the smaller of each setting and its confirmed value is in force. */
  'gpuRental.agents.limitPerDay': number;
  'gpuRental.agents.limitPerHour': number;
  'gpuRental.agents.maxInstances': number;
  'gpuRental.agents.maxHours': number;
  'gpuRental.agents.maxQuestionsPerHour': number;
  'gpuRental.models.inChat': boolean;
  /** Of the gateway to served models; 0 for any. */
  'gpuRental.models.port': number;
}
export const settingDefaults: Settings = {
  'gpuRental.service.url': 'https://console.vast.ai',
  'gpuRental.network.transport': 'auto',
  'gpuRental.search.saved': {},
  'gpuRental.rent.limitPerHour': 0,
  'gpuRental.end.idleMinutes': 30,
  'gpuRental.end.destroyAfterDays': 7,
  'gpuRental.end.useServiceTimetable': false,
  'gpuRental.models.idleMinutes': 30,
  'gpuRental.models.maxHours': 8,
  'gpuRental.models.volume': '',
  'gpuRental.budget.perDay': 0,
  'gpuRental.budget.perMonth': 0,
  'gpuRental.budget.warnPercent': 80,
  'gpuRental.budget.stopAllAtLimit': false,
  'gpuRental.ready.timeoutMinutes': 15,
  'gpuRental.ready.onFailure': 'ask',
  'gpuRental.ready.checkLogin': true,
  'gpuRental.statusBar.enabled': true,
  'gpuRental.warn.idleHours': 3,
  'gpuRental.warn.stoppedDays': 7,
  'gpuRental.hosting.show': 'auto',
  'gpuRental.connect.openIn': 'newWindow',
  'gpuRental.connect.folder': '',
  'gpuRental.terminal.tmux': 'own',
  'gpuRental.setUp.gitIdentity': false,
  'gpuRental.setUp.dotfiles': '',
  'gpuRental.setUp.secrets': [],
  'gpuRental.setUp.extensions': [],
  'gpuRental.agents.access': 'off',
  'gpuRental.agents.limitPerDay': 10,
  'gpuRental.agents.limitPerHour': 1,
  'gpuRental.agents.maxInstances': 1,
  'gpuRental.agents.maxHours': 8,
  'gpuRental.agents.maxQuestionsPerHour': 6,
  'gpuRental.models.inChat': true,
  'gpuRental.models.port': 0,
};

/** Commands in the title of a view. The editor passes the focused row and the selection, or neither. */
export const titleCommands: readonly AnyCommandId[] = [
  'gpuRental.activity.show',
  'gpuRental.saveSupportBundle',
  'gpuRental.earnings.show',
  'gpuRental.getStarted',
  'gpuRental.job.run',
  'gpuRental.market.show',
  'gpuRental.openConsole',
  'gpuRental.refresh',
  'gpuRental.replaceKey',
  'gpuRental.runDoctor',
  'gpuRental.searchOffers',
  'gpuRental.showLog',
  'gpuRental.signOut',
  'gpuRental.spending.show',
  'gpuRental.sshKey.add',
  'gpuRental.sshKey.generate',
  'gpuRental.switchAccount',
  'gpuRental.template.create',
  'gpuRental.template.import',
  'gpuRental.template.search',
  'gpuRental.volume.create',
];
