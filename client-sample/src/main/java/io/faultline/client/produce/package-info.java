/** How records become batches, are sent, and are settled. */
package io.faultline.client.produce;
