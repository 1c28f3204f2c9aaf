import assert from 'node:assert/strict';
import type { Contact } from '../../../../src/features/connect/contact';
import type { KeptTerminals } from '../../../../src/features/connect/keptTerminals';
import { endsWithConnection, offerTmux } from '../../../../src/features/connect/terminalCommands';
import type { Services } from '../../../../src/services';
import type { SshService } from '../../../../src/ssh/service';
import type { Account } from '../../../../src/store/accounts/accounts';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { until } from '../../../support/until';

describe('terminals on an instance without tmux', () => {
  const screen = useScreen();
  let ran: string[] = [];
  let opened = 0;
  let code = 0;

  const offer = () =>
    offerTmux(
      {
        accounts: only<Services['accounts']>({}),
        contact: only<Contact>({ name: () => 'trainer' }),
        terminals: only<KeptTerminals>({}),
        ssh: only<SshService>({
          exec: (_alias: string, script: string) => {
            ran.push(script);
            const stderr = 'Reading lists\nE: no \u001b[31mroom\n';
            return Promise.resolve({ code, stdout: '', stderr, timedOut: false });
          },
        }),
      },
      { instanceId: 7, account: () => only<Account>({}) },
      'gpu-7',
      () => (opened += 1),
    );
  const press = async (text: RegExp, button: string) => {
    const shown = await until(String(text), () => screen.messages.shown.find((one) => text.test(one.text)));
    shown.press(button);
    return shown;
  };

  beforeEach(() => {
    ran = [];
    opened = 0;
    code = 0;
  });

  it('explain that they end with their connection', () => {
    assert.equal(
      endsWithConnection('trainer'),
      'Terminals on trainer end with their connection, because it has no tmux.',
    );
  });

  it('install it only after a question, and open one that keeps running', async () => {
    offer();
    await press(/end with their connection/, 'Install tmux…');
    await press(/^Install tmux on trainer\?$/, 'Not Now');
    assert.deepEqual([ran, opened], [[], 0]);
    offer();
    await press(/end with their connection/, 'Install tmux…');
    const { detail } = await press(/^Install tmux on trainer\?$/, 'Install');
    assert.match(detail ?? '', /^It runs apt-get install tmux/);
    await until('a terminal', () => opened === 1);
    assert.match(ran.join(), /apt-get .*install -y --no-install-recommends tmux/);
  });
});
