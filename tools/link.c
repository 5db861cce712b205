// SPDX-License-Identifier: GPL-2.0
/* Devices by rtnetlink, their features by ioctl. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link.h"

struct list {
	struct link *link;
	int nr;
	int err;
};

static void read_kind(struct link *link, struct nlattr *info)
{
	struct nlattr *kind = nla_find(nla_data(info), nla_len(info), IFLA_INFO_KIND);

	if (kind)
		nla_strlcpy(link->kind, kind, sizeof(link->kind));
}

static void read_xdp(struct link *link, struct nlattr *xdp)
{
	struct nlattr *attached = nla_find(nla_data(xdp), nla_len(xdp), IFLA_XDP_ATTACHED);

	link->xdp = attached && nla_get_u8(attached) != XDP_ATTACHED_NONE;
}

static int on_link(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[IFLA_MAX + 1] = { NULL };
	const struct ifinfomsg *info;
	struct list *list = arg;
	struct link *link;

	info = nlmsg_data(nlmsg_hdr(msg));
	link = reallocarray(list->link, list->nr + 1, sizeof(*link));
	if (!link || nlmsg_parse(nlmsg_hdr(msg), sizeof(*info), tb, IFLA_MAX, NULL)) {
		list->err = -ENOMEM;
		return NL_OK;
	}
	list->link = link;
	link += list->nr++;
	memset(link, 0, sizeof(*link));
	link->ifindex = info->ifi_index;
	link->flags = info->ifi_flags;
	if (tb[IFLA_IFNAME])
		nla_strlcpy(link->name, tb[IFLA_IFNAME], sizeof(link->name));
	if (tb[IFLA_MASTER])
		link->master = nla_get_u32(tb[IFLA_MASTER]);
	if (tb[IFLA_NUM_TX_QUEUES])
		link->queues = nla_get_u32(tb[IFLA_NUM_TX_QUEUES]);
	if (tb[IFLA_LINKINFO])
		read_kind(link, tb[IFLA_LINKINFO]);
	if (tb[IFLA_XDP])
		read_xdp(link, tb[IFLA_XDP]);
	return NL_OK;
}

int links_get(struct link **links)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC };
	struct nl_sock *sock = nl_socket_alloc();
	struct list list = { 0 };

	*links = NULL;
	if (!sock)
		return -ENOMEM;
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, on_link, &list);
	if (nl_connect(sock, NETLINK_ROUTE) ||
	    nl_send_simple(sock, RTM_GETLINK, NLM_F_DUMP, &info, sizeof(info)) < 0 ||
	    nl_recvmsgs_default(sock))
		list.err = -EIO;
	nl_socket_free(sock);
	if (list.err) {
		free(list.link);
		return list.err;
	}
	*links = list.link;
	return list.nr;
}

static int ethtool(int fd, const char *name, void *command)
{
	struct ifreq request = { .ifr_data = command };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	return ioctl(fd, SIOCETHTOOL, &request);
}

static unsigned int nr_features(int fd, const char *name)
{
	struct {
		struct ethtool_sset_info info;
		__u32 length;
	} set = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_FEATURES } };

	return ethtool(fd, name, &set) || !set.info.sset_mask ? 0 : set.length;
}

static int find_feature(int fd, const char *name, const char *feature, unsigned int nr)
{
	struct ethtool_gstrings *strings;
	int found = -1;
	unsigned int i;

	strings = calloc(1, sizeof(*strings) + nr * ETH_GSTRING_LEN);
	if (!strings)
		return -1;
	strings->cmd = ETHTOOL_GSTRINGS;
	strings->string_set = ETH_SS_FEATURES;
	strings->len = nr;
	if (!ethtool(fd, name, strings)) {
		for (i = 0; i < nr && found < 0; i++) {
			if (!strncmp((char *)strings->data + i * ETH_GSTRING_LEN, feature,
				     ETH_GSTRING_LEN))
				found = i;
		}
	}
	free(strings);
	return found;
}

static bool is_active(int fd, const char *name, unsigned int i, unsigned int nr)
{
	struct ethtool_gfeatures *features;
	bool active = false;

	features = calloc(1, sizeof(*features) + (nr + 31) / 32 * sizeof(features->features[0]));
	if (!features)
		return false;
	features->cmd = ETHTOOL_GFEATURES;
	features->size = (nr + 31) / 32;
	if (!ethtool(fd, name, features))
		active = features->features[i / 32].active >> i % 32 & 1;
	free(features);
	return active;
}

bool link_feature(const char *name, const char *feature)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned int nr;
	bool on = false;
	int i = -1;

	if (fd < 0)
		return false;
	nr = nr_features(fd, name);
	if (nr)
		i = find_feature(fd, name, feature, nr);
	if (i >= 0)
		on = is_active(fd, name, i, nr);
	close(fd);
	return on;
}
