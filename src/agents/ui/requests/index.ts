import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { DisposableStore, MutableDisposable, type Disposable } from '../../../util/disposable';
import { AskUser, type AskDeps } from './askUser';
import { Settling } from './settling';

/** Registers the tools of agents for the editor's chat, and the user's answers to their requests. */
export function register(deps: AskDeps): Disposable {
  const { agentLimits, agentTools, chat, commands, settings, report } = deps;
  const store = new DisposableStore();
  store.add(new Settling(deps));
  const asking = store.add(new MutableDisposable<AskUser>());
  const failed = (error: unknown) => {
    report.error(error);
  };
  const look = () => {
    const isOff = settings.get('gpuRental.agents.access') === 'off';
    if (isOff) {
      asking.value = undefined;
    } else {
      asking.value ??= new AskUser(deps);
      asking.value.confirmLimits().catch(failed);
    }
  };
  const whereLetIn = (run: (asking: AskUser) => Promise<void>) => async () => {
    if (asking.value) {
      await run(asking.value);
    } else {
      message(
        'info',
        t('Agent access is off. Change the setting {0} to turn it on.', 'gpuRental.agents.access'),
      );
    }
  };
  store.add(
    commands.register(
      'gpuRental.agents.reviewLimits',
      whereLetIn((one) => one.reviewLimits()),
    ),
  );
  store.add(
    commands.register(
      'gpuRental.agents.openRequest',
      whereLetIn((one) => one.openRequest()),
    ),
  );
  // The editor does not tell conversations apart, so all of a window are one session.
  const caller = { id: deps.hub.windowId, name: 'the chat', door: 'chat' } as const;
  chat.call = (tool, input, signal) => agentTools.call(tool, input, caller, signal);
  store.add(
    settings.onDidChange('gpuRental.agents', () => {
      agentLimits.lower().then(look).catch(failed);
    }),
  );
  look();
  store.add({
    dispose: () => {
      chat.call = undefined;
    },
  });
  return store;
}
