import { createClient } from '../../src/api/createClient';
import type { Transport } from '../../src/api/transport';
import { UndiciTransport } from '../../src/api/undiciTransport';
import { createAccounts } from '../../src/store/accounts/accounts';
import { patientSecrets } from '../../src/store/accounts/patientSecrets';
import { SecondFactorGate, type SecondFactorPrompt } from '../../src/store/accounts/secondFactor';
import { systemClock, type Clock } from '../../src/util/clock';
import { DisposableStore } from '../../src/util/disposable';
import { Emitter } from '../../src/util/emitter';
import type { Log } from '../../src/util/log';
import { silentLog } from '../../src/util/log';
import { quickPolicy } from './apiClient';
import { settle } from './fakeClock';
import { FakeHubs, FakeSecrets } from './fakeWindows';

/** Windows of one user over one key ring, each with the real client against the simulator. */
export class RealWindows {
  readonly secrets: FakeSecrets;
  readonly hubs = new FakeHubs();
  private readonly owned = new DisposableStore();
  private readonly transports: Transport[] = [];

  constructor(
    private readonly storageDir: string,
    private readonly serviceUrl: string,
    private readonly options: {
      readonly secrets?: FakeSecrets;
      /** Of the secret store alone. */
      readonly clock?: Clock;
      readonly log?: Log;
      /** Of the question for a second factor alone. */
      readonly gateClock?: Clock;
    } = {},
  ) {
    this.secrets = options.secrets ?? new FakeSecrets();
  }

  open(isFocused = true) {
    const hub = this.owned.add(this.hubs.open());
    const focus = new Emitter<boolean>();
    const state = { isFocused, asked: 0 };
    const gate = this.owned.add(
      new SecondFactorGate(
        hub,
        {
          get isFocused() {
            return state.isFocused;
          },
          onDidChange: focus.event,
        },
        this.options.gateClock ?? systemClock,
      ),
    );
    const accounts = this.owned.add(
      createAccounts({
        secrets: patientSecrets(this.secrets, this.options.clock ?? systemClock),
        storageDir: this.storageDir,
        hub,
        clock: systemClock,
        log: this.options.log ?? silentLog,
        secondFactor: gate,
        createClient: ({ serviceUrl, bearer, hooks }) => {
          const transport = new UndiciTransport();
          this.transports.push(transport);
          return createClient({
            baseUrl: serviceUrl,
            bearer,
            transport,
            clock: systemClock,
            log: silentLog,
            policy: quickPolicy,
            hooks,
          });
        },
      }),
    );
    return {
      accounts,
      state,
      setPrompt: (prompt: SecondFactorPrompt) => {
        gate.setPrompt((subject, signal, wanted) => {
          state.asked += 1;
          return prompt(subject, signal, wanted);
        });
      },
      setFocus: (focused: boolean) => {
        state.isFocused = focused;
        focus.fire(focused);
      },
      close: () => {
        accounts.dispose();
        gate.dispose();
        hub.dispose();
      },
      signIn: (key: string) => accounts.signIn({ serviceUrl: this.serviceUrl, apiKey: key }),
    };
  }

  async close(): Promise<void> {
    this.owned.dispose();
    await Promise.all(this.transports.map((transport) => transport.close()));
    // Nobody waits for what an account writes down, and its folder is about to go.
    await settle();
  }
}
