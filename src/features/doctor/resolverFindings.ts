import { plainText } from '../../ssh/plainText';
import type { Resolver } from '../../ssh/resolvers';
import { text } from '../../util/text';
import { finding, fixes, skipAll, type DoctorFinding } from './finding';

interface Ports {
  readonly resolvers: readonly Resolver[];
  readonly configFileIsSet: boolean;
}

const titles = {
  resolver: text('Remote-SSH extension'),
  configHonoured: text('SSH config file setting'),
  checksHostKeys: text('Host key check of Remote-SSH'),
} as const;

/** What opens windows on SSH hosts here. */
export function resolverFindings({ resolvers, configFileIsSet }: Ports): readonly DoctorFinding[] {
  const [first, second] = resolvers;
  if (!first) {
    const { resolver, ...others } = titles;
    return [
      finding(
        'resolver',
        resolver,
        'note',
        text('None is installed. Terminals work without; windows need one.'),
        fixes.findRemoteSsh,
      ),
      ...skipAll(others, text('No Remote-SSH extension is installed.')),
    ];
  }
  return [
    second
      ? finding(
          'resolver',
          titles.resolver,
          'note',
          text(
            "Two are installed, {0} and {1}. Which of them opens a window can't be foreseen; disable one.",
            plainText(first.name),
            plainText(second.name),
          ),
          fixes.showRemoteSsh,
        )
      : finding('resolver', titles.resolver, 'ok', text('{0} is installed.', plainText(first.name))),
    configHonoured(first, configFileIsSet),
    first.checksHostKeys
      ? finding(
          'checksHostKeys',
          titles.checksHostKeys,
          'ok',
          text('{0} compares host keys.', plainText(first.name)),
        )
      : finding(
          'checksHostKeys',
          titles.checksHostKeys,
          'note',
          text(
            '{0} does not compare host keys. The login before each window does it instead.',
            plainText(first.name),
          ),
        ),
  ];
}

function configHonoured({ name, section, honoursConfigFile }: Resolver, isSet: boolean): DoctorFinding {
  if (!isSet) {
    return finding('configHonoured', titles.configHonoured, 'skipped', text('Your usual file is used.'));
  }
  return honoursConfigFile
    ? finding(
        'configHonoured',
        titles.configHonoured,
        'ok',
        text('{0} reads the file that is set.', plainText(name)),
      )
    : finding(
        'configHonoured',
        titles.configHonoured,
        'note',
        text(
          '{0} ignores the setting for another SSH config file, so your usual one is used.',
          plainText(name),
        ),
        fixes.openSetting(`${section}.configFile`),
      );
}
