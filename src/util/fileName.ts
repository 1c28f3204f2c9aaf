/** The name of a device with any ending (learn.microsoft.com, "Naming Files, Paths, and Namespaces"). */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/iu;
/**
 * Characters that name a second stream of a file, another folder, or another file,
 * since Windows drops dots and spaces at an end.
 */
const special = /[<>:"/\\|?*\p{Cc}]/u;
/** With our endings it stays below 143 bytes, which is the limit of an encrypted home folder of Linux. */
const longestBytes = 120;
const longestTitle = 80;

/** Returns whether a name means the file of this name on Windows too. */
export function isNameOnWindows(name: string): boolean {
  return !device.test(name) && !special.test(name) && !/[. ]$/.test(name);
}

/**
 * Makes the name of a file on every computer from a text of the service or of a user; `otherwise` where nothing of it
 * can be kept. It can neither lead to another folder, hide, name a device, nor reorder or end a title.
 */
export function safeFileName(wanted: string, otherwise: string): string {
  const plain = wanted
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, '')
    .replace(/[<>:"/\\|?*#%]+/g, '-')
    .replace(/\s+/g, ' ');
  const name = shortened(plain.replace(/^[. ]+/, '')).replace(/(?<![. ])[. ]+$/, '');
  if (name === '') {
    return otherwise;
  }
  return device.test(name) ? `_${name}` : name;
}

function shortened(name: string): string {
  let short = '';
  for (const character of Array.from(name).slice(0, longestTitle)) {
    // One byte is left for what is put before the name of a device.
    if (Buffer.byteLength(short + character) >= longestBytes) {
      break;
    }
    short += character;
  }
  return short;
}
