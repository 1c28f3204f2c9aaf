import * as vscode from 'vscode';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { DisposableStore, MutableDisposable, type Disposable } from '../../../util/disposable';
import { OtherAccountRequests } from '../../store/otherAccountRequests';
import { settle } from '../../store/settle';
import { AskUser, type AskDeps } from './askUser';

/** Registers the tools of agents for the editor's chat, and the user's answers to their requests. */
export function register(deps: AskDeps): Disposable {
  const { agentLimits, agentTools, chat, commands, settings, report } = deps;
  const store = new DisposableStore();
  store.add(new Settling(deps));
  store.add(announceFolders(deps));
  const asking = store.add(new MutableDisposable<AskUser>());
  const failed = (error: unknown) => {
    report.error(error);
  };
  const update = () => {
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
  // The editor does not distinguish conversations, so all of a window are one session.
  const caller = { id: deps.hub.windowId, name: 'the chat', door: 'chat' } as const;
  chat.call = (tool, input, signal) => agentTools.call(tool, input, caller, signal);
  store.add(
    settings.onDidChange('gpuRental.agents', () => {
      agentLimits.lower().then(update).catch(failed);
    }),
  );
  update();
  store.add({
    dispose: () => {
      chat.call = undefined;
    },
  });
  return store;
}

/** Announces the folders of this window whose jobs agents may ask for: those of this computer that the user trusts. */
function announceFolders({ openFolders }: AskDeps): Disposable {
  const { workspace } = vscode;
  const update = () => {
    const local = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    openFolders.set(workspace.isTrusted ? local.map(({ uri }) => uri.fsPath) : []);
  };
  const store = new DisposableStore();
  store.add(workspace.onDidChangeWorkspaceFolders(update));
  store.add(workspace.onDidGrantWorkspaceTrust(update));
  update();
  return store;
}

/**
 * Settles requests whose answer was lost or whose window closed, in the leading window. Also while agents are off,
 * because a machine that an agent rented must get its end.
 */
class Settling implements Disposable {
  private readonly owned = new DisposableStore();
  private queue: Promise<void> = Promise.resolve();
  private readonly others: OtherAccountRequests;
  private isFollowed = false;

  constructor(private readonly deps: AskDeps) {
    const { agentDesk: desk, hub } = deps;
    this.others = this.owned.add(new OtherAccountRequests({ ...deps, desk, isLeader: () => hub.isLeader }));
    const check = () => {
      this.check();
    };
    this.owned.add(deps.rentals.onDidChange(check));
    this.owned.add(deps.fleet.onDidChange(check));
    this.owned.add(deps.agentJobs.jobs.onDidChange(check));
    this.owned.add(deps.hub.onDidChangeLeader(check));
    check();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private check(): void {
    const { hub, log } = this.deps;
    void this.others.check();
    if (!hub.isLeader || !this.mayHaveRequests()) {
      return;
    }
    const desk = this.deps.agentDesk();
    if (!this.isFollowed) {
      this.isFollowed = true;
      this.owned.add(
        desk.onDidChange(() => {
          this.check();
        }),
      );
    }
    this.queue = this.queue
      .then(() => settle({ ...this.deps, desk }))
      .catch((error: unknown) => {
        log.warn(`What agents asked for could not be settled: ${String(error)}`);
      });
  }

  /** Returns false without agents and rentals, so that nothing is read: most users have never enabled agents. */
  private mayHaveRequests(): boolean {
    const { settings, rentals } = this.deps;
    return settings.get('gpuRental.agents.access') !== 'off' || rentals.rentals.length > 0;
  }
}
