import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type * as vscode from 'vscode';
import { AgentsGroup } from '../../../../../src/agents/ui/oversight/agentsGroup';
import { fromDollars } from '../../../../../src/model/money';
import { FakeEventEmitter } from '../../../../support/fakeEditor/events';
import { labelOf } from '../../../../support/fakeEditor/trees';

type Parts = ConstructorParameters<typeof AgentsGroup>;

describe('The agents in the account view', () => {
  const now = new Date(2026, 0, 15, 12).getTime();

  function scene(access: 'off' | 'read' | 'ask', isClosed = false) {
    const called = new FakeEventEmitter<object>();
    const heard: ((data: unknown) => void)[] = [];
    const sent: unknown[] = [];
    const none = () => ({ dispose: () => undefined });
    const settings: Record<string, unknown> = {
      'gpuRental.agents.access': access,
      'gpuRental.agents.limitPerDay': 10,
      'gpuRental.agents.limitPerHour': 1.5,
      'gpuRental.agents.maxInstances': 2,
      'gpuRental.agents.maxHours': 8,
    };
    const limits = { access, perDay: 10, perHour: 1.5, instances: 2, hours: 8, questionsPerHour: 6 };
    const elsewhere = { today: fromDollars(3), perHour: fromDollars(0.4), instances: 1 };
    const desk = {
      accountKey: 'mine',
      read: () => Promise.resolve({ requests: [] }),
      gate: () => Promise.resolve({ now, running: new Set(), elsewhere }),
      isClosed: () => Promise.resolve(isClosed),
    };
    const deps = {
      agentDoor: { onDidChange: none, count: 2 },
      agentLimits: { onDidConfirm: none, read: () => Promise.resolve({ inForce: limits, isRaised: false }) },
      agentTools: { onDidCall: called.event },
      clock: { now: () => now },
      hub: {
        on: (_: string, listener: (data: unknown) => void) => (heard.push(listener), none()),
        broadcast: (_: string, data: unknown) => sent.push(data),
      },
      log: { warn: (line: string) => assert.equal(line, '') },
      settings: { get: (key: string) => settings[key], onDidChange: none },
    };
    const group = new AgentsGroup(
      deps as unknown as Parts[0],
      { onDidChange: none, desk } as unknown as Parts[1],
    );
    const call = (tool: string, more: object = {}) => ({
      ...{ at: now, caller: { name: 'claude', door: 'mcp' }, tool, isError: false, outcome: 'ok' },
      ...more,
    });
    return {
      sent,
      call: (tool: string, more?: object) => {
        called.fire(call(tool, more));
      },
      hear: (data: unknown) => {
        heard.forEach((listener) => {
          listener(data);
        });
      },
      rows: async () => {
        for (let turn = 0; turn < 6; turn += 1) {
          await setImmediate();
        }
        return group.rows().map((row) => {
          const item = row.item();
          const { description, iconPath, tooltip, command } = item;
          const hint =
            typeof tooltip === 'object'
              ? tooltip.value.replace(/[\\*]|&nbsp;/g, '').replace(/\s*\n+/g, ' / ')
              : tooltip;
          return [
            labelOf(item),
            description,
            (iconPath as vscode.ThemeIcon).id,
            hint,
            command && `→ ${command.command}`,
          ]
            .filter((part) => part !== undefined)
            .join(' | ');
        });
      },
    };
  }

  it('are not there while agents have no access and never called', async () => {
    const off = scene('off');
    assert.deepEqual(await off.rows(), []);
    off.call('list_instances');
    assert.equal((await off.rows()).length, 2);
  });

  it('show what agents may do and what they have used of it', async () => {
    assert.deepEqual(await scene('ask').rows(), [
      'Access | read, and ask you before they spend | shield | Per day, at most, without traffic: $10.00 / Per hour, at most: $1.50 / Instances, at most: 2 / Hours of a rental, at most: 8 / Connected over MCP to this window: 2 | → gpuRental.agents.showLog',
      'Today (UTC) | $3.00 of $10.00 | dashboard | Committed today (UTC): $3.00 of $10.00. Each rental counts with all its hours.',
      'Per hour | $0.400 of $1.50 | dashboard',
      'Instances | 1 of 2 | dashboard',
    ]);
    assert.deepEqual((await scene('read').rows()).length, 1);
    assert.deepEqual((await scene('read', true).rows()).slice(1, 2), [
      'Limits need your review | warning | → gpuRental.agents.reviewLimits',
    ]);
  });

  it('list the last ten calls of all windows, the latest first', async () => {
    const all = scene('read');
    all.call('run_command', { isError: true, outcome: 'It was refused.' });
    all.call('request_rental', { outcome: 'pending', caller: { name: 'the chat', door: 'chat' } });
    all.call('odd_tool');
    assert.equal(all.sent.length, 3);
    assert.deepEqual((await all.rows()).slice(1), [
      'odd_tool | ok · “claude” (unverified name) · 12:00 PM | pass | Agent: “claude” (unverified name) / Through: MCP / Tool: odd_tool / Outcome: ok',
      'Ask to Rent | you were asked · the chat · 12:00 PM | question | Agent: the chat / Through: the chat of the editor / Tool: request_rental / Outcome: pending',
      'Run a Command on an Instance | refused · “claude” (unverified name) · 12:00 PM | circle-slash | Agent: “claude” (unverified name) / Through: MCP / Tool: run_command / Outcome: It was refused.',
    ]);
    all.hear({ at: now, client: 'other', door: 'mcp', tool: 'search_offers', isError: false, outcome: 'ok' });
    assert.match((await all.rows())[1] ?? '', /^Search GPU Offers \| ok · “other” \(unverified name\)/);
    for (let count = 0; count < 12; count += 1) {
      all.call('list_instances');
    }
    assert.equal((await all.rows()).length, 11);
  });
});
