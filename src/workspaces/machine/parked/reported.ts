import type { Clock } from '../../../util/clock';
import type { OnParkedProgress } from '../../model/parkedSet';
import type { ParkedPiece } from './pieces';

const reportMs = 100;

/** Counts the bytes of archives, and reports them at intervals. */
export class Reported {
  private readonly totalBytes: number;
  private bytes = 0;
  private reportedAt = -Infinity;

  constructor(
    private readonly clock: Clock,
    pieces: readonly ParkedPiece[],
    private readonly onProgress: OnParkedProgress | undefined,
  ) {
    this.totalBytes = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  restart(bytes: number): void {
    this.bytes = 0;
    this.reportedAt = -Infinity;
    this.add(bytes);
  }

  add(bytes: number): void {
    const { totalBytes } = this;
    this.bytes = Math.min(this.bytes + bytes, totalBytes);
    const now = this.clock.elapsed();
    if (now - this.reportedAt >= reportMs) {
      this.reportedAt = now;
      this.onProgress?.({ bytes: this.bytes, totalBytes });
    }
  }
}
