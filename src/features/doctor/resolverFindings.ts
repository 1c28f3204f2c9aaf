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

/** Returns the findings about the extensions that open windows on SSH hosts. */
export function resolverFindings({ resolvers, configFileIsSet }: Ports): readonly DoctorFinding[] {
  const [first, second] = resolvers;
  if (!first) {
    const { resolver, ...others } = titles;
    return [
      finding(
        'resolver',
        resolver,
        'note',
        text("No Remote-SSH extension is installed. Windows need one, terminals don't."),
        fixes.findRemoteSsh,
      ),
      ...skipAll(others, text("No Remote-SSH extension is installed. Windows need one, terminals don't.")),
    ];
  }
  return [
    second
      ? finding(
          'resolver',
          titles.resolver,
          'note',
          text(
            'Two are installed, {0} and {1}, and either may open a window. Disable one.',
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
          text('{0} checks host keys.', plainText(first.name)),
        )
      : finding(
          'checksHostKeys',
          titles.checksHostKeys,
          'note',
          text(
            '{0} does not check host keys. The login before each window checks them instead.',
            plainText(first.name),
          ),
        ),
  ];
}

function configHonoured({ name, section, honoursConfigFile }: Resolver, isSet: boolean): DoctorFinding {
  if (!isSet) {
    return finding(
      'configHonoured',
      titles.configHonoured,
      'skipped',
      text('Your usual SSH config is used.'),
    );
  }
  return honoursConfigFile
    ? finding(
        'configHonoured',
        titles.configHonoured,
        'ok',
        text('{0} reads the SSH config from the setting.', plainText(name)),
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
