import assert from 'node:assert/strict';
import { answerWithinMs } from '../../../../../src/agents/model/gate';
import { showAgentStatus } from '../../../../../src/agents/ui/oversight';
import { anInstance } from '../../../../support/builders';
import { FakeClock } from '../../../../support/fakeClock';
import { FakeEventEmitter } from '../../../../support/fakeEditor/events';
import { useScreen } from '../../../../support/onScreen';
import { only } from '../../../../support/only';

describe('The item of agents in the status bar', () => {
  const screen = useScreen();
  const changed = new FakeEventEmitter<undefined>();
  const clock = new FakeClock();
  const nothing = { pending: [], underWay: [], instances: [] };
  const watch = { ...nothing, onDidChange: changed.event } as Record<string, unknown>;
  let own: { dispose(): void };
  before(() => {
    own = showAgentStatus(only(watch), clock);
  });
  after(() => {
    own.dispose();
  });
  const shown = (more: object) => {
    Object.assign(watch, nothing, more);
    changed.fire(undefined);
    const item = screen.status.get('gpuRental.agents');
    const { id } = (item?.backgroundColor ?? {}) as { readonly id?: string };
    return [
      item?.isShown,
      item?.text,
      item?.tooltip,
      item?.accessibilityInformation?.label,
      item?.command,
      id,
    ];
  };
  const instance = (label: string, canStop = true) => ({
    instance: anInstance({ label }),
    canStop,
    request: {},
  });
  const request = () => ({ at: clock.now() });

  it('shows first what waits for an answer, then what agents do and what they rented', () => {
    assert.equal(shown({})[0], false);
    assert.equal(shown({ instances: [instance('stopped', false)] })[0], false);
    assert.deepEqual(shown({ instances: [instance('a')] }), [
      true,
      '$(hubot) 1 agent instance',
      '1 agent instance\na',
      '1 agent instance',
      'gpuRental.instances.focus',
      undefined,
    ]);
    assert.deepEqual(shown({ instances: [instance('a'), instance('b'), instance('c', false)] }), [
      true,
      '$(hubot) 2 agent instances',
      '2 agent instances\na\nb',
      '2 agent instances',
      'gpuRental.instances.focus',
      undefined,
    ]);
    assert.deepEqual(shown({ underWay: [{}], instances: [instance('a')] }), [
      true,
      '$(hubot) Agent at work',
      'Agent at work\na',
      'Agent at work',
      'gpuRental.instances.focus',
      undefined,
    ]);
    assert.deepEqual(shown({ pending: [request()], underWay: [{}], instances: [instance('a')] }), [
      true,
      '$(hubot) 1 request is waiting',
      "Answer the agent's request",
      '1 request is waiting',
      'gpuRental.agents.openRequest',
      'statusBarItem.warningBackground',
    ]);
    assert.deepEqual(shown({ pending: [request(), request()] })[1], '$(hubot) 2 requests are waiting');
  });

  it('is read again when the last request is over', async () => {
    shown({ pending: [request()] });
    watch['pending'] = [];
    await clock.advance(answerWithinMs - 1);
    assert.equal(screen.status.get('gpuRental.agents')?.isShown, true);
    await clock.advance(1);
    assert.equal(screen.status.get('gpuRental.agents')?.isShown, false);
    assert.equal(clock.pending, 0);
  });
});
