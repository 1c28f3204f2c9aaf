import type {
  JupyterCommandProvider,
  JupyterServer,
  JupyterServerCollection,
  JupyterServerProvider,
} from '../../../src/notebooks/ui/jupyterTypes';

/**
 * Calls a provider as `remoteNotebookKernelSourceSelector.ts` and the finders of microsoft/vscode-jupyter do: it throws
 * on a second id, sorts the array that it got, forgets what a list lacks, and resolves each server that it stored
 * twice, unasked and at once.
 */
export class JupyterExtension {
  readonly id = 'ms-toolsai.jupyter';
  readonly packageJSON = {};
  isActive = false;
  provider: JupyterServerProvider | undefined;
  collection: JupyterServerCollection | undefined;
  /** What notebooks used before. */
  readonly stored = new Set<string>();
  readonly forgotten: string[] = [];

  readonly exports = {
    createJupyterServerCollection: (id: string, _label: string, provider: JupyterServerProvider) => {
      if (this.collection) {
        throw new Error(`The collection ${id} exists`);
      }
      this.provider = provider;
      this.collection = { dispose: () => undefined };
      provider.onDidChangeServers(() => {
        this.list();
      });
      return this.collection;
    },
  };

  activate(): Promise<unknown> {
    this.isActive = true;
    return Promise.resolve(this.exports);
  }

  /** Runs a command of the picker; `closed` where it is to close. */
  async run(label: string): Promise<JupyterServer | 'closed' | undefined> {
    try {
      const server = await this.commands?.handleCommand({ label });
      if (server) {
        this.stored.add(server.id);
      }
      return server;
    } catch {
      return 'closed';
    }
  }

  /** The labels of the picker, in its order. */
  list(): readonly JupyterServer[] {
    const rows = this.provider?.provideJupyterServers() ?? [];
    rows.sort((a, b) => a.label.localeCompare(b.label));
    for (const id of this.stored) {
      if (!rows.some((row) => row.id === id)) {
        this.stored.delete(id);
        this.forgotten.push(id);
      }
    }
    return rows;
  }

  /** Chooses a server, while all finders ask for it as well. */
  async choose(id: string): Promise<JupyterServer> {
    this.stored.add(id);
    const resolve = () =>
      this.provider?.resolveJupyterServer({ id }) ?? Promise.reject(new Error('no provider'));
    const [first] = await Promise.all([resolve(), resolve(), resolve()]);
    return first;
  }

  get commands(): JupyterCommandProvider | undefined {
    return this.collection?.commandProvider;
  }

  /** The commands of the picker after a key was typed. */
  labels(): readonly string[] {
    return this.commands?.provideCommands().map(({ label }) => label) ?? [];
  }
}
