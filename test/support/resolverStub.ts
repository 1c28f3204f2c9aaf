import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from './editorHost';
import { packageFolder } from './packageFolder';

/** What a stand-in for one Remote-SSH extension says of itself. */
export interface ResolverStub {
  readonly id: string;
  /** Where its settings are. */
  readonly section: string;
}

/** Loaded first by a host's processes: the account's home is the session's from their first line on. */
export const accountHome = path.join(repository, 'test', 'support', 'accountHome.cjs');

/** Packages an extension that contributes what the Remote-SSH extension of this id does; gives back the file. */
export async function packageResolver({ id, section }: ResolverStub, root: string): Promise<string> {
  const [publisher = '', name = ''] = id.split('.');
  const folder = path.join(root, 'stubs', id);
  mkdirSync(folder, { recursive: true });
  const manifest = {
    name,
    publisher,
    displayName: `Stand-In for ${id}`,
    version: '0.0.1',
    license: 'MIT',
    engines: { vscode: '^1.105.0' },
    main: './main.js',
    extensionKind: ['ui', 'workspace'],
    activationEvents: ['onResolveRemoteAuthority:ssh-remote', 'onStartupFinished'],
    contributes: {
      configuration: {
        properties: {
          [`${section}.remotePlatform`]: { type: 'object', default: {}, scope: 'application' },
          [`${section}.configFile`]: { type: 'string', default: '', scope: 'application' },
        },
      },
    },
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(path.join(folder, 'main.js'), 'exports.activate = () => undefined;\n');
  writeFileSync(path.join(folder, 'README.md'), 'Stands in for a Remote-SSH extension in the UI tests.\n');
  return packageFolder(folder, root);
}

/** An `ssh` that takes the session's config where it is told none; see above. */
export function homeSsh(root: string): string {
  const bin = path.join(root, 'bin');
  mkdirSync(bin);
  for (const program of ['ssh', 'sftp']) {
    const file = path.join(bin, program);
    const config = path.join(root, 'home', '.ssh', 'config');
    writeFileSync(file, `#!/bin/sh\nexec ${program} -F '${config}' "$@"\n`);
    chmodSync(file, 0o755);
  }
  return path.join(bin, 'ssh');
}
