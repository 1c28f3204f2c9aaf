import { graceTimeOf, setGraceTime } from '../../editor/graceTime';
import { localize, t } from '../../editor/localize';
import { suggest } from '../../editor/message';
import { sshAuthority } from '../../editor/remoteAuthority';
import type { Services } from '../../services';
import { hostInAuthority } from '../../ssh/alias';
import { MutableDisposable, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { installedResolvers } from './resolverChoice';

type Deps = Pick<Services, 'clock' | 'oneWindow'>;

const everyMs = 60_000;
/** A timer that is later than this was delayed by sleep, not by a busy computer. */
const sleepMs = 10 * 60_000;
/** In seconds, as the Remote-SSH extensions count. */
const proposed = 8 * 3600;

/**
 * Suggests, once, a longer grace time after this computer slept with a window on an instance: its terminals end if
 * the window reconnects too late. Suggests nothing if the setting is not declared.
 */
export class GraceAdvice implements Disposable {
  private readonly timer = new MutableDisposable();
  private last: number;

  constructor(private readonly deps: Deps) {
    this.last = deps.clock.now();
    if (hostInAuthority(sshAuthority())) {
      this.tick();
    }
  }

  dispose(): void {
    this.timer.dispose();
  }

  private tick(): void {
    const { clock, oneWindow } = this.deps;
    const now = clock.now();
    const sleptMs = now - this.last - everyMs;
    this.last = now;
    if (sleptMs > sleepMs && shortSection() !== undefined) {
      oneWindow.offer('connect.graceAdvice', () => propose(sleptMs), { onlyInUse: true });
    }
    this.timer.value = clock.schedule(() => this.tick(), everyMs);
  }
}

/** Returns the settings section of a Remote-SSH extension whose grace time is shorter than proposed. */
function shortSection(): string | undefined {
  return installedResolvers().find(
    ({ hasGraceTime, section }) => hasGraceTime && (graceTimeOf(section) ?? 0) < proposed,
  )?.section;
}

async function propose(sleptMs: number): Promise<void> {
  const section = shortSection();
  if (section === undefined) {
    return;
  }
  await suggest(
    'info',
    t(
      'This computer slept for {0}. A window keeps its terminals only if the computer sleeps no longer than the grace time of Remote-SSH.',
      localize(durationText(sleptMs)),
    ),
    { label: t('Keep Them for 8 Hours'), run: () => setGraceTime(section, proposed) },
  );
}
