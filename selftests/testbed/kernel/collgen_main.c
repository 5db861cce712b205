// SPDX-License-Identifier: GPL-2.0
/* The files that control a run. */
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include "collgen.h"

#define CG_LINE_MAX	8192

static DEFINE_MUTEX(cg_mutex);
static struct proc_dir_entry *cg_dir;

/**
 * struct cg_input - a writer of the command file
 * @len: bytes of an unfinished line
 * @line: that line
 */
struct cg_input {
	u32 len;
	char line[CG_LINE_MAX];
};

static int cg_command_open(struct inode *inode, struct file *file)
{
	struct cg_input *input = kvzalloc(sizeof(*input), GFP_KERNEL);

	file->private_data = input;
	return input ? 0 : -ENOMEM;
}

static int cg_input_flush(struct cg_input *input)
{
	int err;

	input->line[input->len] = '\0';
	input->len = 0;
	mutex_lock(&cg_mutex);
	err = cg_command(input->line);
	mutex_unlock(&cg_mutex);
	return err;
}

static ssize_t cg_command_write(struct file *file, const char __user *buf,
				size_t count, loff_t *pos)
{
	struct cg_input *input = file->private_data;
	size_t done;
	char c;
	int err;

	for (done = 0; done < count; done++) {
		if (get_user(c, buf + done))
			return -EFAULT;
		if (c == '\n') {
			err = cg_input_flush(input);
			if (err)
				return err;
			continue;
		}
		if (input->len == CG_LINE_MAX - 1) {
			cg_error("line: longer than %d characters",
				 CG_LINE_MAX - 1);
			return -E2BIG;
		}
		input->line[input->len++] = c;
	}
	return count;
}

static int cg_command_release(struct inode *inode, struct file *file)
{
	struct cg_input *input = file->private_data;

	/* A last line without an end; its error can only be read. */
	if (input->len)
		cg_input_flush(input);
	kvfree(input);
	return 0;
}

static const struct proc_ops cg_command_ops = {
	.proc_open = cg_command_open,
	.proc_write = cg_command_write,
	.proc_release = cg_command_release,
};

static int cg_wait_show(struct seq_file *m, void *v)
{
	if (wait_event_interruptible(cg_wait, !cg.running))
		return -ERESTARTSYS;
	seq_puts(m, cg.complete ? "complete\n" : "incomplete\n");
	return 0;
}

static int cg_error_show(struct seq_file *m, void *v)
{
	seq_puts(m, cg_command_error());
	return 0;
}

static int cg_files_create(void)
{
	cg_dir = proc_mkdir("collgen", NULL);
	if (!cg_dir)
		return -ENOMEM;
	if (proc_create("command", 0200, cg_dir, &cg_command_ops) &&
	    proc_create_single("wait", 0444, cg_dir, cg_wait_show) &&
	    proc_create_single("error", 0444, cg_dir, cg_error_show) &&
	    !cg_records_create(cg_dir))
		return 0;
	proc_remove(cg_dir);
	return -ENOMEM;
}

static int __init cg_init(void)
{
	int err;

	err = cg_frame_init();
	if (err)
		return err;
	cg_control_init();
	err = cg_files_create();
	if (err) {
		cg_control_exit();
		cg_frame_exit();
	}
	return err;
}

static void __exit cg_exit(void)
{
	proc_remove(cg_dir);
	cg_control_exit();
	cg_frame_exit();
}

module_init(cg_init);
module_exit(cg_exit);

MODULE_DESCRIPTION("RoCEv2 hosts and collectives on simdev, for tests");
MODULE_LICENSE("GPL");
