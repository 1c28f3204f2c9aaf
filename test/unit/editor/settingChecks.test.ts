import assert from 'node:assert/strict';
import { settingDefaults, type Settings } from '../../../src/contributions';
import { settingChecks } from '../../../src/editor/settingChecks';

const good: { readonly [Key in keyof Settings]: readonly unknown[] } = {
  'gpuRental.service.url': ['http://127.0.0.1:8080'],
  'gpuRental.network.transport': ['undici', 'vscode'],
  'gpuRental.search.saved': [{ cheap: {} }],
  'gpuRental.rent.limitPerHour': [2.5],
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
  'gpuRental.agents.access': ['read', 'ask'],
  'gpuRental.agents.limitPerDay': [0, 25],
  'gpuRental.agents.limitPerHour': [0, 2.5],
  'gpuRental.agents.maxInstances': [0, 4],
  'gpuRental.agents.maxHours': [0, 48],
  'gpuRental.agents.maxQuestionsPerHour': [0, 60],
};
const bad: { readonly [Key in keyof Settings]: readonly unknown[] } = {
  'gpuRental.service.url': ['', ' ', 80],
  'gpuRental.network.transport': ['proxy', true],
  'gpuRental.search.saved': [[], 'cheap'],
  'gpuRental.rent.limitPerHour': [-1, '2'],
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
  'gpuRental.agents.access': ['auto', true],
  'gpuRental.agents.limitPerDay': [-1, '10', Infinity],
  'gpuRental.agents.limitPerHour': [-1, Number.NaN],
  'gpuRental.agents.maxInstances': [-1, 101],
  'gpuRental.agents.maxHours': [-1, 721],
  'gpuRental.agents.maxQuestionsPerHour': [-1, 61],
};

describe('settings', () => {
  for (const key of Object.keys(settingDefaults) as (keyof Settings)[]) {
    it(`${key} takes its default and what it can be, and nothing else`, () => {
      for (const value of [settingDefaults[key], ...good[key]]) {
        assert.ok(settingChecks[key](value), JSON.stringify(value));
      }
      for (const value of [null, ...bad[key]]) {
        assert.ok(!settingChecks[key](value), JSON.stringify(value));
      }
    });
  }
});
