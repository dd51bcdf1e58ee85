import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { type Feedback, feedbacks } from './feedback.js';

export type GivenFeedback = Pick<Feedback, 'rating'> & Partial<Pick<Feedback, 'comment' | 'correctedOutput'>>;

/** Feedback as the API shows it. */
export type FeedbackView = ShownObject<Feedback>;
export const FeedbackView = feedbacks.view;
