import type { Settings } from '../contributions';

/**
 * Checks for the value of each setting. The manifest has the same rules for the settings editor, but other programs can
 * bypass it.
 */
export const settingChecks: { readonly [Key in keyof Settings]: (value: unknown) => boolean } = {
  'gpuRental.service.url': (value) => typeof value === 'string' && value.trim() !== '',
  'gpuRental.network.transport': oneOf('auto', 'vscode', 'undici'),
  'gpuRental.search.saved': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'gpuRental.rent.limitPerHour': (value) => typeof value === 'number' && value >= 0,
  'gpuRental.budget.perDay': within(0, 1e6),
  'gpuRental.budget.perMonth': within(0, 1e6),
  'gpuRental.budget.warnPercent': within(1, 100),
  'gpuRental.budget.stopAllAtLimit': (value) => typeof value === 'boolean',
  'gpuRental.ready.timeoutMinutes': (value) => typeof value === 'number' && value >= 1 && value <= 60,
  'gpuRental.ready.onFailure': oneOf('ask', 'replace'),
  'gpuRental.ready.checkLogin': (value) => typeof value === 'boolean',
  'gpuRental.warn.idleHours': within(0, 168),
  'gpuRental.warn.stoppedDays': within(0, 365),
  'gpuRental.hosting.show': oneOf('auto', 'always'),
  'gpuRental.statusBar.enabled': (value) => typeof value === 'boolean',
  'gpuRental.connect.openIn': oneOf('newWindow', 'currentWindow'),
  'gpuRental.connect.folder': (value) => typeof value === 'string' && /^(?:\/|$)/.test(value.trim()),
  'gpuRental.agents.access': oneOf('off', 'read', 'ask'),
  'gpuRental.agents.limitPerDay': within(0, 1e6),
  'gpuRental.agents.limitPerHour': within(0, 1e5),
  'gpuRental.agents.maxInstances': within(0, 100),
  'gpuRental.agents.maxHours': within(0, 720),
  'gpuRental.agents.maxQuestionsPerHour': within(0, 60),
};

function within(least: number, most: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= least && value <= most;
}

function oneOf(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && values.includes(value);
}
