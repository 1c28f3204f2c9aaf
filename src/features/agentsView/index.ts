import type { Services } from '../../services';
import { answerOutside } from '../../store/agents/outsideCalls';
import { DisposableStore, type Disposable } from '../../util/disposable';

type Deps = Pick<Services, 'agentDoor' | 'agentTools'>;

/** Agents outside of the editor, and what the user sees of all agents. */
export function register({ agentDoor, agentTools }: Deps): Disposable {
  const store = new DisposableStore();
  store.add(agentDoor.serve(answerOutside(agentTools)));
  return store;
}
