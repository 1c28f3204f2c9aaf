import type { ClientFacts, ConfigFacts, IncludeState } from '../../ssh/inspect';
import type { SshService } from '../../ssh/service';
import { text, type Text } from '../../util/text';
import { finding, fixes, type DoctorFinding, type Verdict } from './finding';

/** Returns the findings about the SSH client and the files that it reads. */
export async function configFindings(
  { ssh }: { readonly ssh: Pick<SshService, 'inspect'> },
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const { client, config } = await ssh.inspect(signal);
  return [
    clientFinding(client),
    versionFinding(client),
    toolsFinding(client),
    includeFinding(config),
    modesFinding(config),
  ];
}

const pathSetting = 'remote.SSH.path';

function clientFinding({ ssh }: ClientFacts): DoctorFinding {
  const title = text('SSH client');
  return ssh === undefined
    ? finding(
        'sshClient',
        title,
        'problem',
        text('ssh was not found. Install OpenSSH, or name it in the setting remote.SSH.path.'),
        fixes.openSetting(pathSetting),
      )
    : finding('sshClient', title, 'ok', ssh);
}

/** OpenSSH 7.6 introduced `StrictHostKeyChecking accept-new`; older versions refuse the whole config. */
const leastVersion = 7.6;

function versionFinding({ ssh }: ClientFacts): DoctorFinding {
  const title = text('Version of the SSH client');
  if (ssh === undefined) {
    return finding('sshVersion', title, 'skipped', text('ssh was not found.'));
  }
  const version = /^OpenSSH_(?:for_Windows_)?(\d+\.\d+)/.exec(ssh)?.[1];
  if (version === undefined) {
    return finding(
      'sshVersion',
      title,
      'problem',
      text('The SSH client is not OpenSSH. Install OpenSSH, or name it in the setting remote.SSH.path.'),
      fixes.openSetting(pathSetting),
    );
  }
  return Number(version) < leastVersion
    ? finding(
        'sshVersion',
        title,
        'problem',
        text('OpenSSH {0} is too old to check new host keys. Install {1} or later.', version, leastVersion),
        fixes.openSetting(pathSetting),
      )
    : finding('sshVersion', title, 'ok', text('OpenSSH {0} supports everything that is needed.', version));
}

function toolsFinding({ missing }: ClientFacts): DoctorFinding {
  const title = text('SSH tools');
  return missing.length > 0
    ? finding(
        'sshTools',
        title,
        'problem',
        text('Not found: {0}. Install all of OpenSSH.', missing.join(', ')),
      )
    : finding('sshTools', title, 'ok', text('No problem found.'));
}

function modesFinding({ tooOpen }: ConfigFacts): DoctorFinding {
  const title = text('File permissions');
  if (tooOpen === undefined) {
    return finding(
      'modes',
      title,
      'skipped',
      text('Windows does not protect your SSH files with file modes.'),
    );
  }
  return tooOpen.length > 0
    ? finding(
        'modes',
        title,
        'problem',
        text('Other users can access {0}, so ssh refuses it.', tooOpen.join(', ')),
        fixes.tighten,
      )
    : finding('modes', title, 'ok', text('No problem found.'));
}

const includeTexts: Record<IncludeState, readonly [Verdict, Text]> = {
  first: ['ok', text('No problem found.')],
  missing: ['note', text('Our Include line is not in the SSH config yet. The next connection adds it.')],
  noFile: ['note', text('There is no SSH config yet. The next connection creates it.')],
  notFirst: ['note', text('Other lines come before our Include line. The next connection moves it up.')],
  unreadable: ['problem', text("The SSH config can't be read.")],
  doubled: ['problem', text('The SSH config has our markers twice. Remove one pair with its Include line.')],
  unfinished: ['problem', text('The SSH config has only one of our two markers. Remove it.')],
  altered: ['problem', text('The part between our markers was edited. Move your lines out of it.')],
  encoding: ['problem', text('The SSH config is not plain text. Save it as UTF-8.')],
};

function includeFinding(config: ConfigFacts): DoctorFinding {
  const title = text('SSH config {0}', config.file);
  const [verdict, detail] = includeTexts[config.include];
  if (config.isReadOnly && verdict !== 'ok') {
    return finding(
      'include',
      title,
      'problem',
      text(
        'The SSH config is read-only and lacks our Include line. Paste it as the first line: {0}',
        config.line,
      ),
      fixes.pasteLine(config.file, config.line),
    );
  }
  return finding(
    'include',
    title,
    verdict,
    detail,
    verdict === 'problem' ? fixes.openFile(config.file) : undefined,
  );
}
