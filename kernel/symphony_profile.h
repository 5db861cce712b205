/* SPDX-License-Identifier: GPL-2.0 */
/* The wire profiles as one: what the rest of the module need not tell apart. */
#ifndef _SYMPHONY_PROFILE_H
#define _SYMPHONY_PROFILE_H

#include "symphony_rocev2.h"
#include "symphony_uet.h"

/* Longest run of bytes from the UDP header on that the profiles ask for. */
#define SYMPHONY_READ_MAX	(SYMPHONY_UDP_LEN + SYMPHONY_PDS_CC_LEN + \
				 SYMPHONY_SES_MAX_LEN)

/* Width of a PSN. */
static inline u32 symphony_psn_bits(u32 proto)
{
	return proto == TC_SYMPHONY_PROTO_UET ? 32 : 24;
}

/* A datagram of the profile; @hash of its addresses. */
static __always_inline enum symphony_class
symphony_parse_udp(const u8 *udp, struct symphony_room room, u16 sport,
		   u64 hash, const struct symphony_parse_config *cfg,
		   struct symphony_pkt *pkt)
{
	if (cfg->proto == TC_SYMPHONY_PROTO_UET)
		return symphony_parse_pds(udp, room, hash, cfg, pkt);
	return symphony_parse_bth(udp, room, sport, hash, cfg, pkt);
}

#endif
