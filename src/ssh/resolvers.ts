/** The relevant facts of an installed extension. */
export interface ExtensionFacts {
  readonly id: string;
  readonly manifest: unknown;
}

/** An extension that opens windows on `ssh-remote+<alias>`, with its capabilities. */
export interface Resolver {
  readonly id: string;
  readonly name: string;
  /** The section of its settings, for example `remote.SSH`. */
  readonly section: string;
  /** Whether it reads the SSH config that `<section>.configFile` names; otherwise `~/.ssh/config`. */
  readonly honoursConfigFile: boolean;
  /** Whether it has `<section>.remotePlatform`, which avoids the question for the platform of each host. */
  readonly hasRemotePlatform: boolean;
  /** Whether it has `<section>.reconnectionGraceTime`, the time for which a window may be disconnected. */
  readonly hasGraceTime: boolean;
  /** False if it accepts any host key; then our own login before it is the only check. */
  readonly checksHostKeys: boolean;
}

interface KnownResolver {
  readonly section: string;
  readonly honoursConfigFile: boolean;
  readonly checksHostKeys: boolean;
}

const openRemote: KnownResolver = { section: 'remote.SSH', honoursConfigFile: true, checksHostKeys: false };

/** Facts about known resolvers that their manifests do not state, by id in lower case (docs/ssh.md#resolvers). */
export const knownResolvers: Readonly<Record<string, KnownResolver>> = {
  'ms-vscode-remote.remote-ssh': { ...openRemote, checksHostKeys: true },
  'anysphere.remote-ssh': { ...openRemote, checksHostKeys: true },
  'jeanp413.open-remote-ssh': openRemote,
  'voideditor.open-remote-ssh': openRemote,
  'orcide.open-remote-ssh': openRemote,
  'kiro.open-remote-ssh': openRemote,
  'codeium.windsurf-remote-openssh': {
    ...openRemote,
    section: 'remote.windsurfSSH',
    honoursConfigFile: false,
  },
  'google.antigravity-remote-openssh': {
    ...openRemote,
    section: 'remote.antigravitySSH',
    honoursConfigFile: false,
  },
};

const activation = 'onResolveRemoteAuthority:ssh-remote';
const ownId = 'gpu-rental.gpu-rental';

/**
 * Finds extensions that can open an SSH window by their contributions, since many editors include their own under
 * another name. Activation for SSH windows is not enough, because tools that only prepare them have it too: an
 * extension must also be able to resolve or label them, or be known.
 */
export function findResolvers(extensions: readonly ExtensionFacts[]): readonly Resolver[] {
  const found = extensions.flatMap(({ id, manifest }) => {
    const known = knownResolvers[id.toLowerCase()];
    const wakes = texts(field(manifest, 'activationEvents')).includes(activation);
    const resolves = texts(field(manifest, 'enabledApiProposals')).some((name) =>
      /^resolvers(?:@|$)/.test(name),
    );
    const isOne = known !== undefined || (wakes && (resolves || labelsSshWindows(manifest)));
    return isOne && id.toLowerCase() !== ownId ? [describe(id, manifest, known)] : [];
  });
  // If there are several, the editor's choice is unknown; a known one is the better guess.
  return found.sort((one, other) => Number(isKnown(other)) - Number(isKnown(one)));
}

function isKnown({ id }: Resolver): boolean {
  return knownResolvers[id.toLowerCase()] !== undefined;
}

function describe(id: string, manifest: unknown, known: KnownResolver | undefined): Resolver {
  const settings = settingNames(manifest);
  const declared = settings
    .map((name) => /^(remote\.\w*SSH)\./i.exec(name)?.[1])
    .find((section) => section !== undefined);
  const section = declared ?? known?.section ?? 'remote.SSH';
  const displayName = field(manifest, 'displayName');
  return {
    id,
    name: typeof displayName === 'string' && !displayName.startsWith('%') ? displayName : id,
    section,
    // An unknown extension that declares the setting reads it; otherwise only the default file counts.
    honoursConfigFile: known?.honoursConfigFile ?? settings.includes(`${section}.configFile`),
    hasRemotePlatform: settings.includes(`${section}.remotePlatform`),
    hasGraceTime: settings.includes(`${section}.reconnectionGraceTime`),
    checksHostKeys: known?.checksHostKeys ?? false,
  };
}

function labelsSshWindows(manifest: unknown): boolean {
  const formatters = field(field(manifest, 'contributes'), 'resourceLabelFormatters');
  return (
    Array.isArray(formatters) &&
    formatters.some((formatter) => /^ssh-remote\+/.test(String(field(formatter, 'authority'))))
  );
}

function settingNames(manifest: unknown): readonly string[] {
  const configuration = field(field(manifest, 'contributes'), 'configuration');
  const groups: readonly unknown[] = Array.isArray(configuration) ? configuration : [configuration];
  return groups.flatMap((group) => {
    const properties = field(group, 'properties');
    return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  });
}

/** Reads a field of a manifest, which may have any content. */
function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Returns which extension to install if there is none: Microsoft's refuses to run in other editors. */
export function resolverToInstall(appName: string): string {
  if (/^visual studio code/i.test(appName)) {
    return 'ms-vscode-remote.remote-ssh';
  }
  return /^cursor/i.test(appName) ? 'anysphere.remote-ssh' : 'jeanp413.open-remote-ssh';
}
