/** Makers, series, sizes, generations and variants, which the market and the driver spell differently. */
const freeWords = new Set(
  [
    'nvidia geforce quadro tesla amd radeon graphics gpu q generation blackwell edition',
    'workstation server ws sxm pcie nvl sff fhhl hbm gb mib pg max',
  ].flatMap((line) => line.split(' ')),
);
/** Sizes and variants with their number: `80GB`, `HBM3e`, `SXM4`, `Max-Q`, `PG506`. */
const builds = /\b(?:\d+ ?gb|hbm\d?e?|sxm\d?|pg\d+|max-?q)\b/g;

/**
 * Returns whether the names of the driver and the market mean the same model: "NVIDIA GeForce RTX 4080 SUPER" is an
 * "RTX 4080S", "NVIDIA H100 80GB HBM3" an "H100 SXM". A name without any distinctive word matches everything.
 */
export function isSameGpuModel(one: string, other: string): boolean {
  const [a, b] = [piecesOf(one), piecesOf(other)];
  return a === '' || b === '' || a === b;
}

/** Returns the distinctive words and numbers of a model in a fixed order. */
function piecesOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[_/]|\((?:r|tm)\)|instinct/g, ' ')
    .replace(builds, ' ')
    .replace('super', 's');
  const pieces = (plain.match(/[a-z]+|\d+/g) ?? []).filter((piece) => !freeWords.has(piece));
  // "RTX PRO 6000 S" is the server variant, not a Super.
  return pieces
    .filter((piece) => piece !== 's' || !pieces.includes('pro'))
    .sort()
    .join(' ');
}
