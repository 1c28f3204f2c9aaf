import type { ConfigFacts, IncludeState } from '../../ssh/inspect';
import { text, type Text } from '../../util/text';
import { finding, fixes, type Finding, type Verdict } from './finding';
import type { SshService } from '../../ssh/service';

/** The SSH client and the files it reads. */
export async function configFindings(
  { ssh }: { readonly ssh: Pick<SshService, 'inspect'> },
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { client, config } = await ssh.inspect(signal);
  const found: Finding[] = [
    client.ssh === undefined
      ? finding('sshClient', text('SSH client'), 'problem', text('ssh was not found. Install OpenSSH.'))
      : finding('sshClient', text('SSH client'), 'ok', client.ssh),
    client.missing.length > 0
      ? finding(
          'sshTools',
          text('SSH tools'),
          'problem',
          text('Not found: {0}. Install all of OpenSSH.', client.missing.join(', ')),
        )
      : finding('sshTools', text('SSH tools'), 'ok', text('sftp and ssh-keygen are there.')),
    includeFinding(config),
    config.tooOpen.length > 0
      ? finding(
          'modes',
          text('Who can read and write'),
          'problem',
          text(
            'Others can use {0}, which ssh refuses. Take their rights away with chmod.',
            config.tooOpen.join(', '),
          ),
        )
      : finding('modes', text('Who can read and write'), 'ok', text('Keys and SSH files are yours alone.')),
  ];
  return found;
}

const includeTexts: Record<IncludeState, readonly [Verdict, Text]> = {
  first: ['ok', text('Our Include line stands first.')],
  missing: ['note', text('Our Include line is not there yet; the next connection writes it.')],
  noFile: ['note', text('There is no SSH config yet; the next connection makes it.')],
  notFirst: ['note', text('Other lines stand before our Include line; the next connection moves it up.')],
  unreadable: ['problem', text('The SSH config cannot be read.')],
  doubled: ['problem', text('The SSH config has our markers twice. Remove one pair with its Include line.')],
  unfinished: ['problem', text('The SSH config has only one of our two markers. Remove it.')],
  altered: ['problem', text('The part between our markers was edited. Move your lines out of it.')],
  encoding: ['problem', text('The SSH config is not plain text. Save it as UTF-8.')],
};

function includeFinding(config: ConfigFacts): Finding {
  const title = text('SSH config {0}', config.file);
  const [verdict, detail] = includeTexts[config.include];
  if (config.isReadOnly && verdict !== 'ok') {
    return finding(
      'include',
      title,
      'problem',
      text('The SSH config is read-only and lacks our Include line. Connecting shows the line to paste.'),
      fixes.openFile(config.file),
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
