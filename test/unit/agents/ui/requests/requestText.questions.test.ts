import assert from 'node:assert/strict';
import type { AgentRequest } from '../../../../../src/agents/model/request';
import * as words from '../../../../../src/agents/ui/requests/requestText';
import { fromDollars } from '../../../../../src/model/money';
import { only } from '../../../../support/only';

describe('What a user is asked for an agent', () => {
  const now = new Date(2026, 0, 15, 12).getTime();
  const hour = 3_600_000;
  const caller = { name: 'claude', door: 'mcp' };
  const commitment = {
    perHour: fromDollars(0.4),
    stoppedPerHour: fromDollars(0),
    from: now,
    until: now + 2 * hour,
  };
  const offer = {
    gpuCount: 2,
    gpuName: 'RTX 4090',
    location: 'Sweden, SE',
    inetDownPerGb: fromDollars(0.01),
  };
  const quote = {
    ...{ offer, hours: 2, then: 'stop', diskGb: 16, perHour: fromDollars(0.4), total: fromDollars(0.8) },
    ...{ stoppedPerHour: fromDollars(0.005), what: 'ubuntu:24.04' },
  };
  const asked = (request: object, more: object = {}) => {
    const whole = { caller, at: now, ...request } as unknown as AgentRequest;
    const question = words.requestQuestion({
      request: whole,
      account: 'me',
      instance: 'trainer',
      now,
      ...more,
    });
    return question && [question.message, ...(question.detail ?? '').split('\n'), `[${question.button}]`];
  };
  const rental = (more: object = {}, request: object = {}) =>
    asked({ tool: 'request_rental', quote: { ...quote, ...more }, commitment, ...request });

  it('names the price, the end and what is installed of a rental, and the reason last', () => {
    assert.deepEqual(rental({}, { reason: 'training' }), [
      'Rent 2× “RTX 4090” for “claude” (unverified name)?',
      '$0.400/h, $0.80 for 2 h, without traffic',
      'Traffic: download $0.010/GB, upload at an unknown price',
      'Stopped automatically at 2:00 PM; storage then costs $0.0050/h',
      'The schedule needs an editor that is open on this computer and signed in to this account.',
      'Disk: 16 GB, in the price',
      'Installs: “ubuntu:24.04”',
      'Location: “Sweden”',
      'Account: me',
      'The agent says: “training”',
      '[Rent for $0.400/h]',
    ]);
    assert.deepEqual(rental({ then: 'destroy', offer: {} }), [
      'Rent 1× “” for “claude” (unverified name)?',
      '$0.400/h, $0.80 for 2 h, without traffic',
      'Traffic: download at an unknown price, upload at an unknown price',
      'Destroyed automatically at 2:00 PM',
      'The schedule needs an editor that is open on this computer and signed in to this account.',
      'Disk: 16 GB, in the price',
      'Installs: “ubuntu:24.04”',
      'Account: me',
      '[Rent for $0.400/h]',
    ]);
    assert.match(rental({ isDiskUnpriced: true })?.join('\n') ?? '', /the service does not state the price/);
    const template = { image: 'a/b', isOfStranger: true, hasStartScript: false };
    assert.doesNotMatch(rental({ template })?.join('\n') ?? '', /on-start/);
    assert.match(rental({ template })?.join('\n') ?? '', /is from another user/);
    const own = { image: 'a/b', isOfStranger: false, hasStartScript: true };
    assert.doesNotMatch(rental({ template: own })?.join('\n') ?? '', /on-start|another user/);
    assert.equal(asked({ tool: 'request_rental', quote }), undefined);
    assert.equal(asked({ tool: 'request_rental', commitment }), undefined);
  });

  it('names what a start costs and when it ends, and what a stop keeps', () => {
    assert.deepEqual(asked({ tool: 'change_state', to: 'stopped', reason: 'done' }), [
      'Stop “trainer” for “claude” (unverified name)?',
      'Running processes stop. Storage is kept and still costs money.',
      'Account: me',
      '[Stop]',
    ]);
    assert.deepEqual(
      asked({
        tool: 'change_state',
        to: 'running',
        commitment,
        endsAt: now + hour,
        then: 'stop',
        reason: 'more',
      }),
      [
        'Start “trainer” for “claude” (unverified name)?',
        '$0.400/h',
        'Stopped automatically at 1:00 PM',
        'The schedule needs an editor that is open on this computer and signed in to this account.',
        'Account: me',
        'The agent says: “more”',
        '[Start for $0.400/h]',
      ],
    );
    assert.deepEqual(asked({ tool: 'change_state', to: 'running', commitment }), [
      'Start “trainer” for “claude” (unverified name)?',
      '$0.400/h',
      'Account: me',
      '[Start for $0.400/h]',
    ]);
  });

  it('names the end of a schedule, and what is lost then', () => {
    assert.deepEqual(
      asked({ tool: 'set_schedule', endsAt: now + hour, then: 'destroy', commitment, reason: 'late' }),
      [
        'Change the schedule of “trainer” for “claude” (unverified name)?',
        'Destroyed automatically at 1:00 PM. All data on it is lost.',
        'The schedule needs an editor that is open on this computer and signed in to this account.',
        '$0.400/h until then',
        'Account: me',
        'The agent says: “late”',
        '[Change Schedule]',
      ],
    );
    assert.deepEqual(asked({ tool: 'set_schedule', then: 'stop' }), [
      'Change the schedule of “trainer” for “claude” (unverified name)?',
      'Stopped automatically at 12:00 PM',
      'The schedule needs an editor that is open on this computer and signed in to this account.',
      'Account: me',
      '[Change Schedule]',
    ]);
  });

  it('names what a destruction loses', () => {
    assert.deepEqual(asked({ tool: 'destroy_instance', reason: 'x'.repeat(200) }), [
      'Destroy “trainer” for “claude” (unverified name)?',
      'All data on it is lost.',
      'Account: me',
      `The agent says: “${'x'.repeat(200)}”`,
      '[Destroy]',
    ]);
    assert.deepEqual(asked({ tool: 'destroy_instance' }, { loss: 'one\ntwo' }), [
      'Destroy “trainer” for “claude” (unverified name)?',
      'one',
      'two',
      'Account: me',
      '[Destroy]',
    ]);
  });

  it('shows how long the leave to run commands lasts', () => {
    assert.deepEqual(asked({ tool: 'run_command', command: 'ls' }), [
      'Let “claude” (unverified name) run commands on “trainer”?',
      'First command:',
      '│ ls',
      'On an instance that an agent rented, this holds until the instance is gone or this client ends.',
      'Account: me',
      '[Run]',
    ]);
    const chat = { tool: 'run_command', command: 'x'.repeat(961), caller: { name: 'chat', door: 'chat' } };
    assert.deepEqual(asked(chat)?.slice(-4), [
      '… and more characters that are not shown here: 1',
      'On an instance that an agent rented, this holds until the instance is gone or this window closes.',
      'Account: me',
      '[Run]',
    ]);
  });

  it('shows what failed after a yes, and only that', () => {
    const said = (tool: string, state: string, to?: string) =>
      words.failureText(only({ tool, state, to, caller }), 'trainer');
    const tools = ['request_rental', 'destroy_instance', 'set_schedule', 'run_command'];
    assert.deepEqual(
      [
        ...tools.map((tool) => said(tool, 'failed')),
        said('change_state', 'failed', 'running'),
        said('change_state', 'failed', 'stopped'),
      ],
      [
        'Nothing was rented for “claude” (unverified name). The log says why.',
        'Could not confirm this for “trainer”. You may still be charged.',
        'Could not change the schedule of “trainer”. Check when it ends.',
        undefined,
        'Could not confirm this for “trainer”. You may still be charged.',
        'Could not confirm this for “trainer”. You may still be charged.',
      ],
    );
    assert.notEqual(said('request_rental', 'notRented'), undefined);
    const lowered =
      'Nothing was done for “claude” (unverified name), because you have allowed agents less since.';
    assert.deepEqual(
      tools.map((tool) => said(tool, 'overLimit')),
      tools.map(() => lowered),
    );
    assert.deepEqual(
      tools.map((tool) => said(tool, 'done')),
      tools.map(() => undefined),
    );
  });

  it('names each limit before it holds', () => {
    const limits = {
      access: 'ask',
      perDay: 10,
      perHour: 1.5,
      instances: 2,
      hours: 8,
      questionsPerHour: 6,
    } as never;
    const read = { access: 'read' } as never;
    const of = ({ message, detail, button }: ReturnType<typeof words.limitsQuestion>) => [
      message,
      ...(detail ?? '').split('\n'),
      button,
    ];
    assert.deepEqual(
      [of(words.limitsQuestion(limits)), of(words.limitsQuestion(read))],
      [
        [
          'Let AI agents ask to rent and use instances?',
          'You confirm each rental, start and destruction in a dialog like this one.',
          'At most $10.00 a day and $1.50/h, without traffic',
          'Instances at once: 2',
          'Hours until an instance ends, at most: 8',
          'Questions an hour: 6',
          'Allow',
        ],
        [
          'Let AI agents see your instances and offers?',
          "They can't spend money or change anything.",
          'Allow',
        ],
      ],
    );
    assert.deepEqual(
      [words.limitsText(limits), words.limitsText(read)],
      [
        'Agents can ask. Limits: $10.00/day and $1.50/h without traffic, instances: 2, hours of a rental: 8.',
        "Agents can see your instances and offers. They can't spend money or change anything.",
      ],
    );
  });
});
