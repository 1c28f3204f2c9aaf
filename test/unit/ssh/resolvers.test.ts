import assert from 'node:assert/strict';
import { findResolvers, resolverToInstall } from '../../../src/ssh/resolvers';

const wakes = ['onResolveRemoteAuthority:ssh-remote'];
const settings = (section: string, ...names: string[]) => ({
  contributes: {
    configuration: { properties: Object.fromEntries(names.map((name) => [`${section}.${name}`, {}])) },
  },
});

describe('Finding what opens SSH windows', () => {
  it('finds an unknown one by what it contributes', () => {
    const manifest = {
      displayName: 'Remote SSH for Trae',
      activationEvents: wakes,
      enabledApiProposals: ['resolvers@2'],
      ...settings('remote.SSH', 'configFile', 'remotePlatform'),
    };
    assert.deepEqual(findResolvers([{ id: 'somebody.remote', manifest }]), [
      {
        id: 'somebody.remote',
        name: 'Remote SSH for Trae',
        section: 'remote.SSH',
        honoursConfigFile: true,
        hasRemotePlatform: true,
        hasGraceTime: false,
        checksHostKeys: false,
      },
    ]);
  });

  it('passes over those that are only woken, those that resolve something else, and ourselves', () => {
    const found = findResolvers([
      { id: 'coder.coder-remote', manifest: { activationEvents: wakes } },
      {
        id: 'a.wsl',
        manifest: { enabledApiProposals: ['resolvers'], activationEvents: ['onResolveRemoteAuthority:wsl'] },
      },
      {
        id: 'gpu-rental.gpu-rental',
        manifest: { activationEvents: wakes, enabledApiProposals: ['resolvers'] },
      },
      { id: 'b.broken', manifest: null },
      { id: 'c.broken', manifest: { activationEvents: 7, contributes: 'x', enabledApiProposals: [1] } },
    ]);
    assert.deepEqual(found, []);
  });

  for (const [id, section, honours] of [
    ['ms-vscode-remote.remote-ssh', 'remote.SSH', true],
    ['anysphere.remote-ssh', 'remote.SSH', true],
    ['jeanp413.open-remote-ssh', 'remote.SSH', true],
    ['voideditor.open-remote-ssh', 'remote.SSH', true],
    ['codeium.windsurf-remote-openssh', 'remote.windsurfSSH', false],
    ['google.antigravity-remote-openssh', 'remote.antigravitySSH', false],
  ] as const) {
    it(`knows ${id} without its manifest, and where its settings are`, () => {
      const [resolver] = findResolvers([{ id, manifest: {} }]);
      assert.deepEqual([resolver?.section, resolver?.honoursConfigFile], [section, honours]);
    });
  }

  it('believes the manifest about where the settings are, and the table about whether the file is read', () => {
    const manifest = settings('remote.devinSSH', 'configFile', 'connectTimeout');
    const [resolver] = findResolvers([{ id: 'codeium.windsurf-remote-openssh', manifest }]);
    assert.deepEqual([resolver?.section, resolver?.honoursConfigFile], ['remote.devinSSH', false]);
  });

  it('finds two where two are installed', () => {
    const ids = ['ms-vscode-remote.remote-ssh', 'jeanp413.open-remote-ssh'];
    assert.equal(findResolvers(ids.map((id) => ({ id, manifest: {} }))).length, 2);
  });

  it('assumes the default config for a stranger that has no setting for another', () => {
    const manifest = {
      activationEvents: wakes,
      contributes: { resourceLabelFormatters: [{ scheme: 'vscode-remote', authority: 'ssh-remote+*' }] },
    };
    const [resolver] = findResolvers([{ id: 'new.fork', manifest }]);
    assert.equal(resolver?.honoursConfigFile, false);
    assert.equal(resolver.hasRemotePlatform, false);
  });

  it('names the one that each editor can run', () => {
    assert.equal(resolverToInstall('Visual Studio Code - Insiders'), 'ms-vscode-remote.remote-ssh');
    assert.equal(resolverToInstall('Cursor'), 'anysphere.remote-ssh');
    assert.equal(resolverToInstall('VSCodium'), 'jeanp413.open-remote-ssh');
  });
});
