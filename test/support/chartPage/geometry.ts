/** One rectangle as the library drew it, in the units of its axis. */
export interface DrawnBar {
  readonly series: string;
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

export interface DrawnGeometry {
  readonly bars: readonly DrawnBar[];
  /** Labels of the category axis that overlap their neighbour. */
  readonly overlaps: number;
  readonly width: number;
}
