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
/** A timer that comes later than this was held back by a computer that slept, not by a busy one. */
const sleepMs = 10 * 60_000;
/** In seconds, as the Remote-SSH extensions count. */
const proposed = 8 * 3600;

/**
 * Proposes, once, a longer grace time after this computer slept while a window was on an instance: what ran in its
 * terminals ends where the window comes back too late. Nothing is proposed where the setting is not declared.
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

/** Where the settings of a Remote-SSH extension are that has a grace time, and a shorter one than is proposed. */
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
      'This computer slept for {0}. A window keeps its terminals over a sleep only within the grace time of Remote-SSH.',
      localize(durationText(sleptMs)),
    ),
    { label: t('Keep Them for 8 Hours'), run: () => setGraceTime(section, proposed) },
  );
}
