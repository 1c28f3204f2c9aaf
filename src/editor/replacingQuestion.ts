import { plainLabel } from '../util/plainLabel';
import { confirm } from './confirm';
import { filesText } from './filesText';
import { t } from './localize';

/** The number of files that a question names. */
const namedFiles = 3;

/**
 * Returns the question before files with another content are replaced on an instance, or on this computer without a
 * name. It asks once for each file, however often the transfer resumes.
 */
export function replacingQuestion(instance?: string): (names: readonly string[]) => Promise<boolean> {
  const agreed = new Set<string>();
  return async (names) => {
    const others = names.filter((name) => !agreed.has(name));
    const files = filesText(others.length);
    const mayReplace =
      others.length === 0 ||
      (await confirm({
        message:
          instance === undefined
            ? t('Replace {0} on this computer?', files)
            : t('Replace {0} on {1}?', files, instance),
        detail: t('Their current content is lost, even if it is newer: {0}.', firstNames(others)),
        button: t('Replace'),
      }));
    if (mayReplace) {
      others.forEach((name) => agreed.add(name));
    }
    return mayReplace;
  };
}

/**
 * Asks the same once for several instances; `instance` is the first that was found to hold such files. A dialog for
 * each of them would be confirmed unread.
 */
export function confirmReplacingOnAll(instance: string, names: readonly string[]): Promise<boolean> {
  return confirmForAll(t('Replace existing files on these instances?'), instance, names);
}

/** Asks once before the files of several instances replace files of this computer. */
export function confirmReplacingHere(instance: string, names: readonly string[]): Promise<boolean> {
  return confirmForAll(t('Replace existing files on this computer?'), instance, names);
}

function confirmForAll(message: string, instance: string, names: readonly string[]): Promise<boolean> {
  return confirm({
    message,
    detail: t(
      'For each instance, the current content of files with the same name is lost, even if it is newer. {0}: {1}.',
      instance,
      firstNames(names),
    ),
    button: t('Replace'),
  });
}

function firstNames(names: readonly string[]): string {
  const named = names.slice(0, namedFiles).map(plainLabel).join(', ');
  const more = names.length - namedFiles;
  return more > 0 ? t('{0} and {1} more', named, more) : named;
}
