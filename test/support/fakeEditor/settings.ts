import { FakeEventEmitter } from './events';
import { settingDefaults } from './manifest';

interface ConfigurationChange {
  affectsConfiguration(section: string): boolean;
}

/** The user's settings, alike in all windows. */
export class UserSettings {
  readonly changed = new FakeEventEmitter<ConfigurationChange>();

  constructor(readonly values: Record<string, unknown>) {}

  set(key: string, value: unknown): void {
    if (value === undefined) {
      Reflect.deleteProperty(this.values, key);
    } else {
      this.values[key] = value;
    }
    this.changed.fire({
      affectsConfiguration: (section) => key === section || key.startsWith(`${section}.`),
    });
  }

  /** `workspace.getConfiguration` of a window whose extensions declare `declared`. */
  section(section: string | undefined, declared: ReadonlySet<string>) {
    const full = (key: string) => (section === undefined || section === '' ? key : `${section}.${key}`);
    return {
      get: (key: string, otherwise?: unknown) =>
        this.values[full(key)] ?? settingDefaults[full(key)] ?? otherwise,
      has: (key: string) => full(key) in this.values || full(key) in settingDefaults,
      inspect: (key: string) => ({
        key: full(key),
        defaultValue: settingDefaults[full(key)],
        globalValue: this.values[full(key)],
        globalLocalValue: this.values[full(key)],
      }),
      update: (key: string, value: unknown) => {
        if (!(full(key) in settingDefaults) && !declared.has(full(key))) {
          return Promise.reject(
            new Error(
              `Unable to write to User Settings because ${full(key)} is not a registered configuration.`,
            ),
          );
        }
        this.set(full(key), value);
        return Promise.resolve();
      },
    };
  }
}
