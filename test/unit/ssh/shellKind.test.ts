import assert from 'node:assert/strict';
import { shellKindOf, shellPathFor } from '../../../src/ssh/shellKind';

describe('The shell of terminals', () => {
  it('is PowerShell on Windows, unless it is a bash that is not that of WSL', () => {
    for (const [shell, kind] of [
      ['C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe', 'powershell'],
      ['C:\\WINDOWS\\System32\\cmd.exe', 'powershell'],
      ['C:\\WINDOWS\\System32\\bash.exe', 'powershell'],
      ['C:\\Program Files\\Git\\bin\\bash.exe', 'posix'],
    ] as const) {
      assert.equal(shellKindOf(shell, 'win32'), kind, shell);
    }
    assert.equal(shellKindOf('/usr/bin/fish', 'darwin'), 'posix');
  });

  it('is replaced by sh where it reads other lines', () => {
    for (const shell of [
      '/opt/homebrew/bin/nu',
      '/usr/local/bin/pwsh',
      '/usr/bin/pwsh-preview',
      '/bin/tcsh',
    ]) {
      assert.equal(shellPathFor('posix', shell), '/bin/sh', shell);
    }
    for (const shell of [
      '',
      '/bin/bash',
      '/bin/zsh',
      '/usr/bin/fish',
      'C:\\Program Files\\Git\\bin\\bash.exe',
    ]) {
      assert.equal(shellPathFor('posix', shell), undefined, shell);
    }
    assert.equal(shellPathFor('powershell', 'C:\\WINDOWS\\System32\\cmd.exe'), 'powershell.exe');
  });
});
