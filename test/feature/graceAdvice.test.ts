import assert from 'node:assert/strict';
import { remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';

describe('a computer that slept with a window on an instance open', () => {
  const computer = useComputer();
  const folder = 'vscode-remote://ssh-remote+gpu-5001/workspace';
  const advice = /grace time of Remote-SSH/;
  const withGraceTime = () => {
    const extension = remoteSshExtension();
    const { configuration } = extension.packageJSON.contributes;
    const properties = {
      ...configuration.properties,
      'remote.SSH.reconnectionGraceTime': { type: 'number' },
    };
    return {
      ...extension,
      packageJSON: { ...extension.packageJSON, contributes: { configuration: { properties } } },
    };
  };
  const closeTheLid = async () => {
    computer().clock.jump(2 * 3_600_000);
    await computer().pass(120_000);
  };

  it('gets no advice if the setting is missing, and none while it is awake', async () => {
    const plain = await computer().openWindow({
      folders: [folder],
      remoteName: 'ssh-remote',
      extensions: [remoteSshExtension()],
    });
    await closeTheLid();
    assert.ok(!plain.toasts().some((text) => advice.test(text)));
    plain.close();
  });

  it('is offered a longer grace time, once over all windows', async () => {
    const open = () =>
      computer().openWindow({ folders: [folder], remoteName: 'ssh-remote', extensions: [withGraceTime()] });
    const windows = [await open(), await open()];
    windows[0]?.focus();
    await computer().pass(20 * 60_000);
    const advised = () => windows.filter((window) => window.toasts().some((text) => advice.test(text)));
    assert.equal(advised().length, 0);
    await closeTheLid();
    assert.equal(advised().length, 1);
    await advised()[0]?.toastButton(/slept for 2 h.*grace time/, 'Keep Them for 8 Hours');
    assert.equal(computer().settings.values['remote.SSH.reconnectionGraceTime'], 28_800);
    await closeTheLid();
    assert.equal(advised().length, 0);
  });
});
