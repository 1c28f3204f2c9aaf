import assert from 'node:assert/strict';
import { settingDefaults, type Settings } from '../../../src/contributions';
import { remotePlatformHosts, setRemotePlatform } from '../../../src/editor/remotePlatform';
import { settingChecks, SettingsReader } from '../../../src/editor/settings';
import { PlatformEntries } from '../../../src/features/connect/platformEntries';
import type { Resolver } from '../../../src/ssh/resolvers';
import { openSettings } from '../../support/onScreen';
import { only } from '../../support/only';

const key = 'remote.SSH.remotePlatform';
type State = ConstructorParameters<typeof PlatformEntries>[0];

/** The settings of a window in which nothing else writes. */
function used(values: Record<string, unknown>, isDeclared = true) {
  const properties = { [key]: {} };
  const other = { id: 'remote', packageJSON: { contributes: { configuration: { properties } } } };
  return openSettings({ settings: values, extensions: isDeclared ? [other] : [] });
}

describe('Settings', () => {
  const make = (values: Record<string, unknown>) => {
    const settings = used(values);
    const warned: string[] = [];
    const own = new SettingsReader((name, value) => warned.push(`${name}=${JSON.stringify(value)}`));
    return { own, settings, warned };
  };

  it('that are not valid are reported once, and count as not set', () => {
    const usual = make({}).own.get('gpuRental.budget.warnPercent');
    const { own, settings, warned } = make({ 'gpuRental.budget.warnPercent': 500 });
    assert.equal(own.get('gpuRental.budget.warnPercent'), usual);
    assert.equal(own.get('gpuRental.budget.warnPercent'), usual);
    assert.deepEqual(warned, ['gpuRental.budget.warnPercent=500']);
    settings.set('gpuRental.budget.warnPercent', 'much');
    assert.equal(own.get('gpuRental.budget.warnPercent'), usual);
    assert.deepEqual(warned.slice(1), ['gpuRental.budget.warnPercent="much"']);
    settings.set('gpuRental.budget.warnPercent', 70);
    assert.equal(own.get('gpuRental.budget.warnPercent'), 70);
    assert.equal(warned.length, 2);
  });

  it('are set for the user, and report their changes by section', async () => {
    const { own, settings } = make({});
    let changes = 0;
    const following = own.onDidChange('gpuRental.budget', () => {
      changes += 1;
    });
    await own.set('gpuRental.budget.perDay', 5);
    assert.equal(settings.values['gpuRental.budget.perDay'], 5);
    assert.equal(own.get('gpuRental.budget.perDay'), 5);
    await own.set('gpuRental.statusBar.enabled', false);
    assert.equal(changes, 1);
    following.dispose();
    await own.set('gpuRental.budget.perDay', 6);
    assert.equal(changes, 1);
  });

  it('of others are read as they are, or with their default', () => {
    const { own } = make({ 'http.proxy': 'http://proxy:3128' });
    assert.equal(own.foreign('http.proxy'), 'http://proxy:3128');
    assert.equal(own.foreign('gpuRental.statusBar.enabled'), true);
    assert.equal(own.foreign('http.other'), undefined);
  });
});

describe('The platform of our hosts in the settings of Remote-SSH', () => {
  const make = (value: unknown, isDeclared = true) => {
    const settings = used(value === undefined ? {} : { [key]: value }, isDeclared);
    return {
      hosts: () => remotePlatformHosts('remote.SSH'),
      set: (changes: Readonly<Record<string, 'linux' | undefined>>) =>
        setRemotePlatform('remote.SSH', changes),
      now: () => settings.values[key],
    };
  };

  it('is added beside those of other hosts, and taken away', async () => {
    const { hosts, now, set } = make({ mine: 'macOS' });
    assert.equal(await set({ 'gpu-7': 'linux' }), true);
    assert.deepEqual(now(), { mine: 'macOS', 'gpu-7': 'linux' });
    assert.deepEqual(hosts(), ['mine', 'gpu-7']);
    assert.equal(await set({ 'gpu-7': undefined }), true);
    assert.deepEqual(now(), { mine: 'macOS' });
  });

  it('leaves no empty setting, and treats one that is no record as none', async () => {
    for (const value of [undefined, null, [], 'linux']) {
      const { hosts, now, set } = make(value);
      assert.deepEqual(hosts(), []);
      assert.equal(await set({ 'gpu-7': undefined }), true);
      assert.deepEqual(now(), value);
      assert.equal(await set({ 'gpu-7': 'linux' }), true);
      assert.deepEqual(now(), { 'gpu-7': 'linux' });
      assert.equal(await set({ 'gpu-7': undefined }), true);
      assert.equal(now(), undefined);
    }
  });

  it('is not written where the editor does not know the setting, unless it is so already', async () => {
    const { now, set } = make({ 'gpu-7': 'linux' }, false);
    assert.equal(await set({ 'gpu-8': 'linux' }), false);
    assert.deepEqual(now(), { 'gpu-7': 'linux' });
    assert.equal(await set({ 'gpu-7': 'linux' }), true);
  });

  it('is remembered as ours, and only ours are taken away', async () => {
    const stored = new Map<string, unknown>();
    const state = only<State>({
      get: (name: string) => stored.get(name),
      update: (name: string, value: unknown) => {
        stored.set(name, value);
        return Promise.resolve();
      },
    });
    const settings = used({
      [key]: { 'gpu-1': 'linux' },
    });
    const own = new PlatformEntries(state);
    const resolver = { section: 'remote.SSH', hasRemotePlatform: true } as Resolver;
    await own.add(resolver, 'gpu-1');
    await own.add({ ...resolver, hasRemotePlatform: false }, 'gpu-2');
    assert.deepEqual(settings.values[key], { 'gpu-1': 'linux' });
    await own.keepOnly([]);
    assert.deepEqual(settings.values[key], { 'gpu-1': 'linux' }, 'the user wrote it');
    for (const alias of ['gpu-3', 'gpu-4', 'gpu-5']) {
      await own.add(resolver, alias);
    }
    await own.keepOnly(['gpu-3', 'gpu-4', 'gpu-5']);
    const all = { 'gpu-1': 'linux', 'gpu-3': 'linux', 'gpu-4': 'linux', 'gpu-5': 'linux' };
    assert.deepEqual(settings.values[key], all);
    await new PlatformEntries(state).keepOnly(['gpu-4']);
    assert.deepEqual(settings.values[key], { 'gpu-1': 'linux', 'gpu-4': 'linux' });
    stored.set('gpuRental.connect.platforms', ['remote.SSH mine', 7, 'remote.SSH gpu-4']);
    await own.keepOnly([]);
    assert.deepEqual(settings.values[key], { 'gpu-1': 'linux' });
    assert.deepEqual(stored.get('gpuRental.connect.platforms'), []);
    // A window opens while the entries of another account are removed.
    await own.add(resolver, 'gpu-6');
    await Promise.all([own.keepOnly([]), own.add(resolver, 'gpu-7')]);
    assert.deepEqual(settings.values[key], { 'gpu-1': 'linux', 'gpu-7': 'linux' });
    await own.keepOnly([]);
    assert.deepEqual(settings.values[key], { 'gpu-1': 'linux' }, 'nothing of ours is left');
  });

  it('is remembered before it is written, since the window may be closed in between', async () => {
    const steps: string[] = [];
    const settings = used({});
    settings.changed.event(() => steps.push('written'));
    const state = only<State>({
      get: () => undefined,
      update: () => {
        steps.push('remembered');
        return Promise.resolve();
      },
    });
    await new PlatformEntries(state).add(
      { section: 'remote.SSH', hasRemotePlatform: true } as Resolver,
      'gpu-1',
    );
    assert.deepEqual(steps, ['remembered', 'written']);
  });
});

const good: { readonly [Key in keyof Settings]: readonly unknown[] } = {
  'gpuRental.service.url': ['http://127.0.0.1:8080'],
  'gpuRental.network.transport': ['undici', 'vscode'],
  'gpuRental.search.saved': [{ cheap: {} }],
  'gpuRental.rent.limitPerHour': [2.5],
  'gpuRental.end.idleMinutes': [0, 45],
  'gpuRental.end.destroyAfterDays': [0, 365],
  'gpuRental.end.useServiceTimetable': [true],
  'gpuRental.budget.perDay': [0, 9.5, 1e6],
  'gpuRental.budget.perMonth': [200],
  'gpuRental.budget.warnPercent': [1, 100],
  'gpuRental.budget.stopAllAtLimit': [true],
  'gpuRental.ready.timeoutMinutes': [1, 60],
  'gpuRental.ready.onFailure': ['replace'],
  'gpuRental.ready.checkLogin': [false],
  'gpuRental.warn.idleHours': [0, 168],
  'gpuRental.warn.stoppedDays': [0, 365],
  'gpuRental.hosting.show': ['always'],
  'gpuRental.statusBar.enabled': [false],
  'gpuRental.connect.openIn': ['currentWindow'],
  'gpuRental.connect.folder': ['/workspace', ' /my project '],
  'gpuRental.terminal.tmux': ['own', 'service', 'none'],
  'gpuRental.setUp.gitIdentity': [true],
  'gpuRental.setUp.dotfiles': [
    'ada/dotfiles',
    ' https://example.com/a.git ',
    'git@example.com:ada/dotfiles',
    '',
  ],
  'gpuRental.setUp.secrets': [['HF_TOKEN', '_a1']],
  'gpuRental.setUp.extensions': [['ms-python.python', 'A-1.b-2']],
  'gpuRental.agents.access': ['read', 'ask'],
  'gpuRental.agents.limitPerDay': [0, 25],
  'gpuRental.agents.limitPerHour': [0, 2.5],
  'gpuRental.agents.maxInstances': [0, 4],
  'gpuRental.agents.maxHours': [0, 48],
  'gpuRental.agents.maxQuestionsPerHour': [0, 60],
  'gpuRental.models.idleMinutes': [0, 1440],
  'gpuRental.models.maxHours': [1, 1.5, 720],
  'gpuRental.models.volume': ['weights', 'my_models2'],
  'gpuRental.models.inChat': [false],
  'gpuRental.models.port': [1024, 65_535],
};
const bad: { readonly [Key in keyof Settings]: readonly unknown[] } = {
  'gpuRental.service.url': ['', ' ', 80],
  'gpuRental.network.transport': ['proxy', true],
  'gpuRental.search.saved': [[], 'cheap'],
  'gpuRental.rent.limitPerHour': [-1, '2'],
  'gpuRental.end.idleMinutes': [-1, '30'],
  'gpuRental.end.destroyAfterDays': [-1, 366, '7'],
  'gpuRental.end.useServiceTimetable': ['true', 1],
  'gpuRental.budget.perDay': [-1, '10', Number.NaN, Infinity],
  'gpuRental.budget.perMonth': [-0.01, true],
  'gpuRental.budget.warnPercent': [0, 101, '80'],
  'gpuRental.budget.stopAllAtLimit': ['true', 1],
  'gpuRental.ready.timeoutMinutes': [0, 61, '15'],
  'gpuRental.ready.onFailure': ['destroy', {}],
  'gpuRental.ready.checkLogin': ['yes', 1],
  'gpuRental.warn.idleHours': [-1, 169, '3'],
  'gpuRental.warn.stoppedDays': [-1, 366, '7'],
  'gpuRental.hosting.show': ['never', 0],
  'gpuRental.statusBar.enabled': ['true', 1],
  'gpuRental.connect.openIn': ['tab', []],
  'gpuRental.connect.folder': ['work', './work', 'C:\\work', 7],
  'gpuRental.terminal.tmux': ['off', true],
  'gpuRental.setUp.gitIdentity': ['true', 1],
  'gpuRental.setUp.dotfiles': ['dotfiles', 'ext::sh -c x', '--upload-pack=x', true],
  'gpuRental.setUp.extensions': [['python'], ['a.b@1.2'], ['-a.b'], ['a.b/../c'], 'a.b', [7]],
  'gpuRental.setUp.secrets': [['A=b'], ['1A'], 'HF_TOKEN', [7]],
  'gpuRental.agents.access': ['auto', true],
  'gpuRental.agents.limitPerDay': [-1, '10', Infinity],
  'gpuRental.agents.limitPerHour': [-1, Number.NaN],
  'gpuRental.agents.maxInstances': [-1, 101],
  'gpuRental.agents.maxHours': [-1, 721],
  'gpuRental.agents.maxQuestionsPerHour': [-1, 61],
  'gpuRental.models.idleMinutes': [-1, 1441],
  'gpuRental.models.maxHours': [0.5, 721],
  'gpuRental.models.volume': ['my models', '../x', 7],
  'gpuRental.models.inChat': ['yes', 0],
  'gpuRental.models.port': [80, 65_536, 18_100.5, '18100'],
};

describe('settings', () => {
  for (const key of Object.keys(settingDefaults) as (keyof Settings)[]) {
    it(`${key} accepts its default and what it can be, and nothing else`, () => {
      for (const value of [settingDefaults[key], ...good[key]]) {
        assert.ok(settingChecks[key](value), JSON.stringify(value));
      }
      for (const value of [null, ...bad[key]]) {
        assert.ok(!settingChecks[key](value), JSON.stringify(value));
      }
    });
  }
});
