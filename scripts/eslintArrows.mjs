/**
 * The lint rule for the arrows between the folders of `src`: the core is made of rings, and a wing has the same rings
 * as subfolders. Imports run inwards, from a wing to the core, and from one wing to another only as the table says.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', 'src');

/** The rings of the core, innermost first, with the rings that each may import. */
export const rings = {
  util: [],
  demo: ['util'],
  wire: [],
  model: ['util'],
  shared: ['util'],
  api: ['util', 'wire', 'model'],
  store: ['util', 'shared', 'model', 'api'],
  ssh: ['util', 'model'],
  simulator: ['util', 'wire'],
  webview: ['util', 'model'],
  editor: ['util', 'model'],
  features: ['util', 'shared', 'model', 'api', 'store', 'ssh', 'editor'],
};

/** The wings, with the wings that each may know. */
export const wings = {
  jobs: ['schedules'],
  agents: ['schedules', 'jobs'],
  models: ['schedules', 'jobs'],
  schedules: ['notebooks'],
  hosting: [],
  notebooks: [],
  history: [],
  several: [],
  workspaces: [],
};

/** What the rings of a wing are in the core. */
const ringOfWing = { model: 'model', store: 'store', machine: 'ssh', ui: 'features' };
/** A program of its own, which runs without the editor. */
const mcp = ['util', 'model', 'store'];

/** The rings that know the editor. */
export const usesEditor = ['editor', 'features'];

/** Returns the area (`core` or a wing), the ring and the folder of a file; without a ring it composes others. */
export function placeOf(file) {
  const [first, second, third] = path.relative(source, file).split(path.sep);
  if (first === '..' || second === undefined) {
    return { area: first === '..' ? 'outside' : 'core' };
  }
  if (first in wings) {
    if (third === undefined) {
      // What is known of a wing before it is loaded, which its own files may know as well.
      return /^manifest(?:\.ts)?$/.test(second) ? { area: first, ring: 'model' } : { area: first };
    }
    return { area: first, ring: ringOfWing[second] ?? second };
  }
  return { area: 'core', ring: first, folder: second };
}

/** Returns why a file may not import another; `undefined` if it may. */
function objection(from, to, isType, specifier) {
  if (/(?:^|\/)(?:extension|app)$/.test(specifier) && to.area === 'core' && to.ring === undefined) {
    return from.ring === undefined && from.area === 'core' ? undefined : 'Nothing imports the composition.';
  }
  if (
    to.area !== 'core' &&
    to.area !== from.area &&
    !(wings[from.area]?.includes(to.area) ?? from.ring === undefined)
  ) {
    return `${from.area === 'core' ? 'The core' : `The wing ${from.area}`} may not know the wing ${to.area}.`;
  }
  if (from.ring === undefined) {
    return undefined;
  }
  if (to.ring === undefined) {
    const isServices = specifier.endsWith('/services');
    return usesEditor.includes(from.ring) && (isType || !isServices)
      ? undefined
      : 'Only what knows the editor knows the composition, and the services as a type.';
  }
  if (from.ring === to.ring) {
    const isOther = from.area !== to.area || (from.area === 'core' && from.folder !== to.folder);
    return from.ring === 'features' && isOther
      ? 'One feature may not import another: run its command by id.'
      : undefined;
  }
  const allowed = from.ring === 'mcp' ? mcp : (rings[from.ring] ?? []);
  // The message types of a panel are the one thing that both of its sides share, and the model may know the names of
  // the service as types.
  const isShared = to.ring === 'webview' && specifier.endsWith('/protocol');
  const isNames = from.ring === 'model' && to.ring === 'wire' && isType;
  return allowed.includes(to.ring) || isShared || isNames
    ? undefined
    : `${from.ring} may not import ${to.ring}.`;
}

/** @type {import('eslint').Rule.RuleModule} */
export const arrows = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) {
        return;
      }
      const from = placeOf(context.filename);
      const to = placeOf(path.resolve(path.dirname(context.filename), specifier));
      const isType =
        node.importKind === 'type' ||
        (node.specifiers?.length > 0 && node.specifiers.every((one) => one.importKind === 'type'));
      const message = objection(from, to, isType, specifier);
      if (message) {
        context.report({ node, message });
      }
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};
