import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { type LinkTarget, PublicLinksService } from '#src/areas/sharing/public-links/public-links.service.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { milestones, type ShownMilestone } from './milestone.js';
import { MilestonesService } from './milestones.service.js';

const { from: ACCEPTABLE, permission: WRITE } = milestones.lifecycle.transitions.accept;

/** A milestone and the name of its project. */
export interface SeenMilestone {
  milestone: ShownMilestone;
  projectName: string;
}

/** Access to milestones for customers, who have no user account. */
@Injectable()
export class MilestoneSharingService implements LinkTarget, OnModuleInit {
  constructor(
    private readonly service: MilestonesService,
    private readonly projects: ProjectsRepository,
    private readonly links: PublicLinksService,
  ) {}

  onModuleInit(): void {
    this.links.serve('milestone', this);
  }

  async requireShareable(id: string, pointer: string): Promise<void> {
    const { records } = this.service;
    if (!(await records.find(id)))
      throw Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such milestone.' }]);
    const row = await records.readFor(id, WRITE);
    if (!ACCEPTABLE.includes(row.status)) throw records.rules.refusal(row, 'accept');
  }

  async requireSharer(id: string): Promise<void> {
    await this.service.records.readFor(id, WRITE);
  }

  /** A milestone that was reached. @throws Problem 404. */
  async seen(id: string): Promise<SeenMilestone> {
    const milestone = await this.service.records.get(id);
    if (milestone.status === 'open') throw Problem.notFound();
    const project = await this.projects.find(milestone.projectId);
    return { milestone, projectName: project!.name };
  }

  /**
   * Accepts a reached milestone, once.
   * @param name of the person who accepts
   * @throws Problem 404, 409 `invalid_transition`.
   */
  async accept(id: string, name: string): Promise<SeenMilestone> {
    await this.seen(id);
    await this.service.records.follow('accept', id, { acceptedBy: name });
    return this.seen(id);
  }
}
