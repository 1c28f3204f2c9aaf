/** The sizes in GB that cards are sold with. Drivers report a little less. */
const soldSizesGb = [
  1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 16, 20, 22, 24, 32, 40, 48, 64, 80, 94, 96, 128, 141, 180, 192, 256, 288,
];

/**
 * How far below the sold size a card may report: error-correcting memory takes one sixteenth
 * (a card sold as 48 GB reports 46,068 MB, one sold as 16 GB reports 15,360 MB).
 */
const shareMissing = 0.065;

/**
 * Converts reported MB to the sold size in GB: 24,564 MB is 24 GB, 81,559 MB is 80 GB. Rows and filters both use it.
 */
export function soldGpuGb(mb: number): number {
  const gb = mb / 1024;
  const sold = soldSizesGb.find((size) => size >= gb);
  return sold !== undefined && sold - gb <= sold * shareMissing ? sold : Math.round(gb);
}

/** Returns the least MB that count as `gb` GB, for a filter of the service. */
export function leastMbFor(gb: number): number {
  let low = 0;
  let high = Math.ceil((gb + 1) * 1024);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (soldGpuGb(middle) >= gb) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** Returns the most MB that still count as `gb` GB. */
export function mostMbFor(gb: number): number {
  return leastMbFor(Math.floor(gb) + 1) - 1;
}
