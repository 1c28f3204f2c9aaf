import { execFile } from 'node:child_process';
import { installedHost, installedInspector } from './installed';

type Json = Readonly<Record<string, unknown>>;

export interface Inspected {
  /** 0 for a result, 5 for the error of a tool. */
  readonly code: number;
  readonly out: string;
}

/** The command line of the MCP Inspector, which restarts the server for each question. */
export class InspectorCli {
  constructor(
    /** The server's script and its arguments. */
    private readonly server: readonly string[],
    /** Of the Inspector's own files. */
    private readonly home: string,
  ) {}

  /** Arguments are given as `name=value`, as people type them. */
  call(tool: string, input: Json): Promise<Inspected> {
    const pairs = Object.entries(input).flatMap(([key, value]) => [
      '--tool-arg',
      `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]);
    return this.run(['--method', 'tools/call', '--tool-name', tool, ...pairs]);
  }

  /** With its check of the schemas, which fails the call on an error. */
  list(): Promise<Inspected> {
    return this.run(['--method', 'tools/list', '--strict']);
  }

  private run(method: readonly string[]): Promise<Inspected> {
    const { node } = installedHost();
    const server = [process.execPath, ...this.server];
    const args = [installedInspector(), '--cli', ...server, ...method, '--format', 'json'];
    return new Promise((resolve, reject) => {
      execFile(node, args, { env: { ...process.env, HOME: this.home } }, (error, out, err) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') {
          resolve({ code, out });
        } else {
          reject(new Error(`The Inspector did not run: ${err}`));
        }
      });
    });
  }
}
