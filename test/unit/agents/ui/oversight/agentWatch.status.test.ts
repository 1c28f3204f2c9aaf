import assert from 'node:assert/strict';
import { answerWithinMs } from '../../../../../src/agents/model/gate';
import { showAgentStatus } from '../../../../../src/agents/ui/oversight';
import type { StatusPart } from '../../../../../src/editor/statusItem';
import { anInstance } from '../../../../support/builders';
import { FakeClock } from '../../../../support/fakeClock';
import { FakeEventEmitter } from '../../../../support/fakeEditor/events';
import { useScreen } from '../../../../support/onScreen';
import { only } from '../../../../support/only';

describe('The item of agents in the status bar', () => {
  useScreen();
  let part: StatusPart | undefined;
  const statusItem = {
    set: (id: string, next: StatusPart | undefined) => {
      assert.equal(id, 'agents');
      part = next;
    },
    owned: () => ({ dispose: () => undefined }),
  };
  const changed = new FakeEventEmitter<undefined>();
  const clock = new FakeClock();
  const nothing = { pending: [], underWay: [], instances: [] };
  const watch = { ...nothing, onDidChange: changed.event } as Record<string, unknown>;
  let own: { dispose(): void };
  before(() => {
    own = showAgentStatus(only(watch), only({ clock, statusItem }));
  });
  after(() => {
    own.dispose();
  });
  const shown = (more: object) => {
    Object.assign(watch, nothing, more);
    changed.fire(undefined);
    return part && [part.text, part.tooltip, part.spoken, part.command.command, part.isWarning];
  };
  const instance = (label: string, canStop = true) => ({
    instance: anInstance({ label }),
    canStop,
    request: {},
  });
  const request = () => ({ at: clock.now() });

  it('shows first what waits for an answer, then what agents do and what they rented', () => {
    assert.equal(shown({}), undefined);
    assert.equal(shown({ instances: [instance('stopped', false)] }), undefined);
    assert.deepEqual(shown({ instances: [instance('a')] }), [
      '$(hubot) Agent instances: 1',
      'Agent instances: 1\na',
      'Agent instances: 1',
      'gpuRental.instances.focus',
      false,
    ]);
    assert.deepEqual(shown({ instances: [instance('a'), instance('b'), instance('c', false)] }), [
      '$(hubot) Agent instances: 2',
      'Agent instances: 2\na\nb',
      'Agent instances: 2',
      'gpuRental.instances.focus',
      false,
    ]);
    assert.deepEqual(shown({ underWay: [{}], instances: [instance('a')] }), [
      '$(hubot) Agent at work',
      'Agent at work\na',
      'Agent at work',
      'gpuRental.instances.focus',
      false,
    ]);
    assert.deepEqual(shown({ pending: [request()], underWay: [{}], instances: [instance('a')] }), [
      '$(hubot) Waiting requests: 1',
      'Waiting requests: 1\na',
      'Waiting requests: 1',
      'gpuRental.agents.openRequest',
      true,
    ]);
    assert.deepEqual(shown({ pending: [request(), request()] })?.[0], '$(hubot) Waiting requests: 2');
  });

  it('is read again when the last request is over', async () => {
    shown({ pending: [request()] });
    watch['pending'] = [];
    await clock.advance(answerWithinMs - 1);
    assert.notEqual(part, undefined);
    await clock.advance(1);
    assert.equal(part, undefined);
    assert.equal(clock.pending, 0);
  });
});
