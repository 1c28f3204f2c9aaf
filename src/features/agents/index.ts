import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { AskUser, type AskDeps } from './askUser';
import { Settling } from './settling';

/** The chat's door to the tools of agents, and the user's answers to what they ask for. */
export function register(deps: AskDeps): Disposable {
  const { agentLimits, agentTools, chat, settings, report } = deps;
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
  chat.call = (tool, input, signal) =>
    agentTools.call(tool, input, { id: 'chat', name: 'the chat', door: 'chat' }, signal);
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
