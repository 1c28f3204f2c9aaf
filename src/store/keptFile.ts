import type { Log } from '../util/log';
import type { JsonFile } from './jsonFile';

/**
 * A file that is read once and then replaced as a whole. Content that the disk refused to read is not overwritten: the
 * file is read again before it is written.
 */
export class KeptFile<T> {
  private state: 'unread' | 'refused' | 'read' = 'unread';

  constructor(
    private readonly file: Pick<JsonFile<T>, 'read' | 'write'>,
    private readonly log: Log,
    /** For the log, where the file can't be read. */
    private readonly unreadable: string,
  ) {}

  /** True while the disk refuses: what the file holds is unknown. */
  get isRefused(): boolean {
    return this.state === 'refused';
  }

  /** Returns the content; undefined where there is none or the disk refused. Never rejects. */
  async read(): Promise<T | undefined> {
    try {
      const content = await this.file.read();
      this.state = 'read';
      return content.kind === 'present' ? content.value : undefined;
    } catch (error) {
      if (this.state !== 'refused') {
        this.log.error(this.unreadable, error);
      }
      this.state = 'refused';
      return undefined;
    }
  }

  /** Replaces the content, unless it could not be read. Rejects when the disk refuses to write. */
  async write(value: T): Promise<void> {
    if (!this.isRefused) {
      await this.file.write(value);
    }
  }
}
