import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { StatusItem, type StatusPart } from '../../../src/editor/statusItem';
import { useScreen } from '../../support/onScreen';

describe('The item in the status bar', () => {
  const screen = useScreen();
  let item: StatusItem;
  beforeEach(() => {
    item = new StatusItem();
  });
  afterEach(() => item.dispose());
  const part = (text: string, more: Partial<StatusPart> = {}): StatusPart => ({
    ...{ text, tooltip: `${text} in full`, spoken: `spoken ${text}`, isWarning: false },
    command: { command: 'gpuRental.instances.focus', title: 'Show Instances' },
    ...more,
  });
  const shown = () => screen.status.get('gpuRental.status');
  const tooltip = () => shown()?.tooltip as vscode.MarkdownString;

  it('is only there once there is something to show', () => {
    item.set('jobs', undefined);
    assert.equal(shown(), undefined);
    item.set('jobs', part('$(beaker) train'));
    assert.equal(shown()?.isShown, true);
    item.set('jobs', undefined);
    assert.equal(shown()?.isShown, false);
  });

  it('is one for all parts, with the icons of those behind the first and all of them in its tooltip', () => {
    item.set('agents', part('$(hubot) 1 agent instance'));
    item.set('instances', part('$(warning) $(server) 1 running'));
    const jobs = { command: 'gpuRental.jobs.focus', title: 'Show Jobs' };
    item.set('jobs', part('$(beaker) train $(x)', { command: jobs }));
    assert.equal(screen.status.size, 1);
    assert.equal(shown()?.text, '$(warning) $(server) 1 running $(beaker) $(hubot)');
    assert.equal(
      shown()?.accessibilityInformation?.label,
      'spoken $(warning) $(server) 1 running, spoken $(beaker) train $(x), spoken $(hubot) 1 agent instance',
    );
    assert.match(tooltip().value, /1 running in full.*train.*in full.*1 agent instance in full/s);
    assert.match(
      tooltip().value,
      /\[Show Instances\]\(command:gpuRental\.instances\.focus\) · \[Show Jobs\]\(command:gpuRental\.jobs\.focus\)$/,
    );
    assert.deepEqual(tooltip().isTrusted, {
      enabledCommands: ['gpuRental.instances.focus', 'gpuRental.jobs.focus', 'gpuRental.instances.focus'],
    });
    assert.equal(shown()?.command, 'gpuRental.instances.focus');
  });

  it('shows first, and in color, the part with a warning, whose command a click runs', () => {
    item.set('instances', part('$(server) 1 running'));
    assert.equal(shown()?.backgroundColor, undefined);
    const answer = { command: 'gpuRental.agents.openRequest', title: 'Answer' };
    item.set('agents', part('$(hubot) Waiting requests: 1', { isWarning: true, command: answer }));
    assert.equal(shown()?.text, '$(hubot) Waiting requests: 1 $(server)');
    assert.equal(shown()?.command, 'gpuRental.agents.openRequest');
    assert.ok(shown()?.backgroundColor);
    item.owned('agents').dispose();
    assert.equal(shown()?.text, '$(server) 1 running');
    assert.equal(shown()?.backgroundColor, undefined);
  });

  it('makes no link and no second line of a name', () => {
    const hostile = 'x](command:gpuRental.signOut) [y](command:z)';
    item.set('jobs', part('$(beaker) train', { tooltip: hostile }));
    assert.doesNotMatch(tooltip().value, /\]\(command:(?!gpuRental\.instances\.focus\)$)/);
  });
});
