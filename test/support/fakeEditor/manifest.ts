import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Found from this file, which in-host tests run from a bundle elsewhere in the repository. */
export const repository = rootAbove(__dirname);

function rootAbove(folder: string): string {
  if (existsSync(path.join(folder, 'package.nls.json'))) {
    return folder;
  }
  const parent = path.dirname(folder);
  if (parent === folder) {
    throw new Error('The repository was not found');
  }
  return rootAbove(parent);
}

interface MenuItem {
  readonly command?: string;
  readonly submenu?: string;
  readonly when?: string;
  readonly group?: string;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly enablement?: string;
    }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, { readonly default: unknown }>>;
    }[];
    readonly views: Readonly<
      Record<string, readonly { readonly id: string; readonly name: string; readonly when?: string }[]>
    >;
    readonly viewsWelcome: readonly {
      readonly view: string;
      readonly contents: string;
      readonly when?: string;
    }[];
  };
}

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(repository, file), 'utf8'));

export const manifest = read('package.json') as Manifest;
const words = read('package.nls.json') as Record<string, string>;

/** A text of the manifest in words. */
export function inWords(text: string): string {
  return text.replace(/^%(.+)%$/, (_, key: string) => words[key] ?? key);
}

/** Our extension as the editor lists it, with its texts in words. */
export const ownExtension = {
  id: 'gpu-rental.gpu-rental',
  packageJSON: JSON.parse(JSON.stringify(manifest), (_, value: unknown) =>
    typeof value === 'string' ? inWords(value) : value,
  ) as unknown,
};

export const settingDefaults: Readonly<Record<string, unknown>> = Object.fromEntries(
  manifest.contributes.configuration.flatMap(({ properties }) =>
    Object.entries(properties).map(([key, { default: value }]) => [key, value]),
  ),
);
